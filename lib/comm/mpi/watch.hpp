// SPDX-License-Identifier: Apache-2.0
// Detects lost ranks of an MPI job where MPI does not report them.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "comm/mpi/group.hpp"
#include "comm/mpi/link.hpp"

namespace ptox::comm::mpi {

/// A thread in each rank that monitors the processes of its host, the time since the last message of each node and the
/// duration of MPI calls. It never calls MPI. When mpirun ends the job, it first reports which ranks are missing. If
/// its rank does not reach its next wait after a failure, it prints a message and ends the process.
class Watch {
 public:
  /// Constructed before the group, because the construction of the group waits for all ranks too.
  Watch(World& world, std::chrono::milliseconds deadline);
  ~Watch() { stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin(Group& group, Link& link);
  /// Called when the function of this rank has ended: a failure no longer ends the process.
  void over() { over_.store(true); }
  /// Called before the memory of the group is freed; from now on processes may end.
  void closing();
  void stop();

 private:
  void look(const std::stop_token& stop);
  void open_files();
  void look_at_processes();
  void look_at_nodes();
  void look_at_failure();
  void obey();
  std::string overdue() const;
  void say(const std::string& sentence) const;
  [[noreturn]] void end(const std::string& sentence) const;

  World& world_;
  std::chrono::milliseconds deadline_;
  std::atomic<Group*> group_ = nullptr;
  Link* link_ = nullptr;
  std::mutex mutex_;  ///< held while the thread uses the group
  std::atomic<bool> over_ = false;
  bool said_ = false, handles_ = false;
  Time::time_point failed_at_{};
  std::vector<pollfd> files_;
  std::vector<int> ranks_;  ///< by entry of files_
  std::jthread thread_;
};

}  // namespace ptox::comm::mpi
