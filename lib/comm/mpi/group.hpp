// SPDX-License-Identifier: Apache-2.0
// The state that the ranks of one run_ranks share on each node.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "comm/group/board.hpp"
#include "comm/mpi/node_memory.hpp"
#include "comm/mpi/world.hpp"

namespace ptox::comm::mpi {

/// The state that a rank publishes in addition to its seat.
struct Note {
  std::atomic<std::uint64_t> value = 0;  ///< the argument of Group::arrive
};

/// Counters of the ranks of this node, and the state of all nodes.
struct NodeState {
  std::atomic<std::uint64_t> arrivals = 0, rounds = 0;  ///< arrivals at rounds; rounds that are complete on all nodes
  std::atomic<std::uint32_t> over = 0, all_over = 0;    ///< ranks whose function has ended; whether all have, anywhere
  std::atomic<std::uint32_t> lost = 0;                  ///< a rank is lost and MPI unusable
  Note notes[];                                         // NOLINT: flexible array member with one note for each rank
};

/// A board for all ranks on every node. The seats of ranks on other nodes are copies, which the leaders update.
class Group {
 public:
  /// Collective. Throws std::runtime_error when memory of the node cannot be allocated.
  Group(World& world, const RanksOptions& options);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  World& world() { return world_; }
  const RanksOptions& options() const { return options_; }
  Board& board() { return *board_; }
  NodeState& state() { return *state_; }
  NodeHeap& heap() { return heap_; }

  /// Records that this rank has arrived at its next round and returns the number of the round. `value`: 0 for a
  /// barrier, the size plus one for an allocation; it has to be equal on all ranks.
  std::uint64_t arrive(std::uint64_t value);
  /// Whether all ranks have arrived at that round.
  bool came(std::uint64_t round) { return state_->rounds.load() >= round; }
  /// Records that the ranks of all nodes have arrived at that round.
  void complete(std::uint64_t round);

  void note(int rank, const char* op, std::int64_t rows, std::int64_t of_rows);
  std::string last_op(int rank);

  /// Records that the function of this rank has ended.
  void leave(bool returned);
  bool all_over() { return state_->all_over.load() != 0; }
  /// How long the other ranks have to reach their next wait after the group has failed.
  std::chrono::milliseconds grace();
  /// Records that these ranks are lost, which ends the group and the use of MPI.
  void lose(const std::vector<int>& ranks, const std::string& why);
  /// Frees the memory; collective, after the functions of all ranks have ended.
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
