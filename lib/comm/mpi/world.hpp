// SPDX-License-Identifier: Apache-2.0
// The processes of an MPI job, their nodes, and the lock for calls of MPI.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "comm/group/engine.hpp"

namespace ptox::comm::mpi {

#ifdef PTOX_SMPI
/// Under SimGrid all ranks run in one thread: they share no memory, and there are no threads that serve or monitor
/// them.
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// A first-come, first-served mutex: a thread that calls MPI in a loop does not starve the others.
class Turns {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    const std::uint64_t mine = next_++;
    changed_.wait(lock, [&] { return now_ == mine; });
  }
  void unlock() {
    const std::lock_guard lock(mutex_);
    ++now_;
    if (now_ != next_) changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0, now_ = 0;
};

/// The MPI job. MPI is initialised at first use if the program has not done so; it is then also finalised at exit.
/// PTOX_MPI_NODES=n divides each node into n, so that one machine can stand for several.
class World {
 public:
  /// The first call is collective. Throws std::runtime_error when the process cannot use this MPI, and std::logic_error
  /// after MPI_Finalize.
  static World& instance();
  /// Whether instance() was called.
  static bool known();

  int rank = 0, size = 1;
  int node = 0, nodes = 1;        ///< the node of this rank; the number of nodes
  int index = 0, node_ranks = 1;  ///< the index of this rank in its node; the number of ranks there
  std::vector<int> node_of;       ///< by rank
  std::vector<int> index_of;      ///< by rank: the index in its node
  std::vector<int> leader_of;     ///< by node: the rank with index 0
  std::vector<int> ranks_on;      ///< by node: the number of ranks
  std::vector<pid_t> pids;        ///< by rank; 0 on another host
  int core_sharers = 1;           ///< ranks of this host that may run on a core of this rank, this rank included

  MPI_Comm node_comm = MPI_COMM_NULL, windows = MPI_COMM_NULL, messages = MPI_COMM_NULL;
  MPI_Comm leaders = MPI_COMM_NULL, enders = MPI_COMM_NULL;  ///< of the leaders only; enders: for the end of a group

  bool leads() const { return index == 0; }
  bool here(int other) const { return node_of[static_cast<std::size_t>(other)] == node; }
  int leader(int other) const { return leader_of[static_cast<std::size_t>(node_of[static_cast<std::size_t>(other)])]; }
  /// The ranks of a node in ascending order.
  std::vector<int> members(int of_node) const;

  /// Called when a rank is lost: MPI is not called any more, and the process ends with an error status.
  void break_off() { broken_.store(true); }
  bool broken() const { return broken_.load(); }
  /// Ends the process without MPI_Finalize, which would wait for the other ranks.
  [[noreturn]] void end_process(int status) const;
  std::atomic<bool> in_group = false;  ///< inside run_ranks: a process that exits counts as dead

  /// Counts that this rank has entered run_ranks once more.
  void come();
  /// Publishes these counts, one word for each rank of this node, in memory that all of them share.
  void share_visits(std::byte* words);
  /// The ranks of this node that have entered run_ranks less often than this one, or are exiting.
  std::vector<int> absent() const;
  std::uint64_t visits() const { return mine_; }

 private:
  static constexpr std::uint64_t left = ~std::uint64_t{0};  ///< stored in place of the count by a rank that exits
  /// Called before MPI_Finalize, waits until every rank of this node exits too: Open MPI's mpirun may hang or crash
  /// when a rank in MPI_Finalize has to be ended with the job.
  void wait_for_leavers();
  World();
  void find_nodes(MPI_Comm all);

  std::atomic<bool> broken_ = false;
  std::uint64_t mine_ = 0;
  std::atomic<std::atomic<std::uint64_t>*> visits_ = nullptr;
  friend class Call;
  Turns turns_;
  std::atomic<std::int64_t> since_ = 0;

 public:
  /// How long the current MPI call that waits for other ranks has taken; 0 if there is none.
  std::chrono::milliseconds waiting_for() const;
};

/// The lock for MPI, which one thread calls at a time: the one that holds an object of this class.
class Call {
 public:
  enum Kind { brief, waits };  ///< waits: for other ranks; the watch then checks how long it takes
  explicit Call(World& world, Kind kind = brief);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  World& world_;
  std::unique_lock<Turns> lock_;
  bool waits_;
};

/// The text of an MPI error code.
std::string text_of(int code);

}  // namespace ptox::comm::mpi
