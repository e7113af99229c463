// SPDX-License-Identifier: Apache-2.0
// State that the ranks of one run_ranks share on each node.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "comm/board.hpp"
#include "comm/mpi/node_memory.hpp"
#include "comm/mpi/world.hpp"

namespace ptox::comm::mpi {

/// What a rank says of itself beside its seat: a name that other processes can read, and what its round is about.
struct Note {
  std::atomic<std::uint64_t> op[2] = {};
  std::atomic<std::uint64_t> value = 0;
};

/// Counts of the node's ranks that came, and what is known of all nodes.
struct NodeState {
  std::atomic<std::uint64_t> arrivals = 0, rounds = 0;  ///< to barriers and allocations; those that all nodes came to
  std::atomic<std::uint32_t> over = 0, all_over = 0;    ///< ranks whose function ended; whether all nodes' did
  std::atomic<std::uint32_t> lost = 0;                  ///< a rank is gone, and MPI with it
  Note notes[];                                         // NOLINT: as many as there are ranks
};

/// A board for all ranks on every node: seats of other nodes' ranks are copies, which the leaders keep fresh.
class Group {
 public:
  /// Collective.
  Group(World& world, const RanksOptions& options);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  World& world() { return world_; }
  const RanksOptions& options() const { return options_; }
  Board& board() { return *board_; }
  NodeState& state() { return *state_; }
  NodeHeap& heap() { return heap_; }

  /// This rank has come to its next round, which is a barrier (0) or an allocation; the round's number.
  std::uint64_t arrive(std::uint64_t value);
  bool came(std::uint64_t round) { return state_->rounds.load() >= round; }
  /// All nodes came to that round.
  void complete(std::uint64_t round);

  void note(int rank, const char* op, std::int64_t rows, std::int64_t of_rows);
  std::string last_op(int rank);

  /// This rank's function has ended.
  void leave(bool returned);
  bool all_over() { return state_->all_over.load() != 0; }
  /// How long the others get to come to their next wait, after the group has failed.
  std::chrono::milliseconds grace();
  /// Ranks that are gone, the group's end, and MPI's.
  void lose(const std::vector<int>& ranks, const std::string& why);
  /// Collective, when all are over.
  void give_back();

 private:
  World& world_;
  RanksOptions options_;
  NodeBytes memory_;
  Board* board_ = nullptr;
  NodeState* state_ = nullptr;
  NodeHeap heap_;
};

}  // namespace ptox::comm::mpi
