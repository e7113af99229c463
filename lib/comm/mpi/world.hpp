// SPDX-License-Identifier: Apache-2.0
// The processes of an MPI job and the nodes they share.
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

#include "comm/engine.hpp"

namespace ptox::comm::mpi {

#ifdef PTOX_SMPI
/// Ranks are simulated in one thread: memory cannot be shared between them, and nobody can look on from beside.
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// Who comes first goes first: a thread that calls MPI again and again keeps no other one out.
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

/// The job, as this process sees it. MPI is initialised at first use, and finalised at exit if that was done here.
/// PTOX_MPI_NODES=n cuts each node in n, so that one machine can stand for several.
class World {
 public:
  /// Collective when called first. Throws std::runtime_error when MPI is not as it must be.
  static World& instance();
  static bool known();

  int rank = 0, size = 1;
  int node = 0, nodes = 1;        ///< this rank's, and how many
  int index = 0, node_ranks = 1;  ///< this rank's place in its node
  std::vector<int> node_of;       ///< by rank
  std::vector<int> index_of;      ///< by rank: its place in its node
  std::vector<int> leader_of;     ///< by node
  std::vector<int> ranks_on;      ///< by node: how many
  std::vector<pid_t> pids;        ///< by rank; 0 on another host
  int core_sharers = 1;           ///< ranks of this host that may run on a core of this rank, this rank included

  MPI_Comm node_comm = MPI_COMM_NULL, windows = MPI_COMM_NULL, messages = MPI_COMM_NULL;
  MPI_Comm leaders = MPI_COMM_NULL, enders = MPI_COMM_NULL;  ///< one rank a node

  bool leads() const { return index == 0; }
  bool here(int other) const { return node_of[static_cast<std::size_t>(other)] == node; }
  int leader(int other) const { return leader_of[static_cast<std::size_t>(node_of[static_cast<std::size_t>(other)])]; }
  /// "rank 3, rank 4"
  std::vector<int> members(int of_node) const;

  /// A rank is lost: MPI is not asked for anything any more, and the process does not end as if all were well.
  void break_off() { broken_.store(true); }
  bool broken() const { return broken_.load(); }
  /// Without MPI_Finalize, which would wait for the others.
  [[noreturn]] void end_process(int status) const;
  std::atomic<bool> in_group = false;  ///< a process that exits now dies as far as others can tell

  /// This rank has come to its next run_ranks.
  void come();
  /// Where the ranks of this node say how often they came; a word for each, seen by all of them.
  void share_visits(std::byte* words);
  /// The ranks of this node that have not come as often as this one.
  std::vector<int> absent() const;
  std::uint64_t visits() const { return mine_; }

 private:
  static constexpr std::uint64_t left = ~std::uint64_t{0};  ///< instead of a number of visits
  /// Before MPI_Finalize, until every rank of this node leaves too: Open MPI's mpirun may hang or crash where one that
  /// is in MPI_Finalize has to be ended with the job.
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
  /// How long a call that waits for other ranks has been under way; 0: none is.
  std::chrono::milliseconds waiting_for() const;
};

/// MPI is called by one thread at a time, whoever holds one of these.
class Call {
 public:
  enum Kind { brief, waits };
  explicit Call(World& world, Kind kind = brief);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  World& world_;
  std::unique_lock<Turns> lock_;
  bool waits_;
};

/// What an error code of MPI says.
std::string text_of(int code);

}  // namespace ptox::comm::mpi
