// SPDX-License-Identifier: Apache-2.0
// Detects that a rank of an MPI job is gone when MPI does not report it.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "comm/mpi/group.hpp"
#include "comm/mpi/link.hpp"

namespace ptox::comm::mpi {

/// A thread of each rank that looks at the processes of its host, at how long other nodes have been silent and at how
/// long a call of MPI takes. It never calls MPI. When mpirun ends the job, it says first who is missing. A rank that
/// cannot come to its next wait is ended, and that is said.
class Watch {
 public:
  /// From before the group is there, for making it waits for all ranks too.
  Watch(World& world, std::chrono::milliseconds deadline);
  ~Watch() { stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin(Group& group, Link& link);
  /// The function of this rank has ended: it need not be made to.
  void over() { over_.store(true); }
  /// Processes may leave from now on, and the group's memory goes.
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
  std::mutex mutex_;  ///< held while it looks at the group
  std::atomic<bool> over_ = false;
  bool said_ = false, handles_ = false;
  Time::time_point failed_at_{};
  std::vector<pollfd> files_;
  std::vector<int> ranks_;  ///< by file
  std::jthread thread_;
};

}  // namespace ptox::comm::mpi
