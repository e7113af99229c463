// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/group.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "comm/group/shared_fabric.hpp"

namespace ptox::comm::mpi {

namespace {

std::size_t board_bytes(int n) { return (Board::bytes_for(n) + 63) / 64 * 64; }
std::size_t state_bytes(int n) { return sizeof(NodeState) + static_cast<std::size_t>(n) * sizeof(Note); }

}  // namespace

Group::Group(World& world, const RanksOptions& options)
    : world_(world),
      options_(options),
      memory_(world, board_bytes(world.size) + state_bytes(world.size)),
      heap_(world) {
  if (!memory_.data()) throw std::runtime_error("run_ranks: memory of the group: " + memory_.error());
  board_ = reinterpret_cast<Board*>(memory_.data());
  state_ = reinterpret_cast<NodeState*>(memory_.data() + board_bytes(world.size));
  if (world.leads()) {
    Board::create_in(board_, world.size);
    new (state_) NodeState;
    for (int r = 0; r < world.size; ++r) new (&state_->notes[r]) Note;
  }
  MPI_Barrier(world.node_comm);
}

std::uint64_t Group::arrive(std::uint64_t value) {
  state_->notes[world_.rank].value.store(value);
  const std::uint64_t round = board_->seat(world_.rank).barriers.fetch_add(1) + 1;
  const auto ranks = static_cast<std::uint64_t>(world_.node_ranks);
  const bool last = state_->arrivals.fetch_add(1) + 1 == round * ranks;
  if (world_.nodes > 1) return round;  // the thread of the leader completes the round
  if (last) complete(round);
  return round;
}

void Group::complete(std::uint64_t round) {
  state_->rounds.store(round);
  board_->ring_all();
}

void Group::note(int rank, const char* op, std::int64_t rows, std::int64_t of_rows) {
  Seat& s = board_->seat(rank);
  s.op.set(op);
  s.rows.store(rows, std::memory_order_relaxed), s.of_rows.store(of_rows, std::memory_order_relaxed);
  if (rows > 0) s.pulse.fetch_add(1, std::memory_order_relaxed);
}

std::string Group::last_op(int rank) {
  const Seat& s = board_->seat(rank);
  return last_op_text(s.op.text(), s.rows.load(), s.of_rows.load());
}

void Group::leave(bool returned) {
  board_->seat(world_.rank).state.store(returned ? Seat::returned : Seat::lost);
  const std::uint32_t over = state_->over.fetch_add(1) + 1;
  if (world_.nodes == 1 && over == static_cast<std::uint32_t>(world_.node_ranks)) state_->all_over.store(1);
  board_->ring_all();
}

std::chrono::milliseconds Group::grace() {
  constexpr std::chrono::milliseconds brief{200};  // after a time-out the deadline has passed already
  return board_->failure().kind == FindingKind::comm_timeout ? std::min(brief, options_.deadline) : options_.deadline;
}

void Group::lose(const std::vector<int>& ranks, const std::string& why) {
  world_.break_off();
  state_->lost.store(1);
  std::string who;
  for (int r : ranks) {
    board_->seat(r).state.store(Seat::lost);
    who += (who.empty() ? "rank " : ", rank ") + std::to_string(r) + " (last in " + last_op(r) + ")";
  }
  board_->fail_for_sure({FindingKind::comm_dead_rank, who + " " + why, ranks});
  board_->ring_all();
}

void Group::give_back() {
  heap_.give_back();
  memory_.give_back();
}

}  // namespace ptox::comm::mpi
