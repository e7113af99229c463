// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/watch.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace ptox::comm::mpi {

using std::chrono::milliseconds;

namespace {

std::atomic<bool> told_to_end = false;  // SIGTERM was received

bool handle_sigterm() {
  struct sigaction before{};
  if (sigaction(SIGTERM, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return false;  // has a handler
  struct sigaction mine{};
  mine.sa_handler = [](int) { told_to_end.store(true); };
  mine.sa_flags = SA_RESTART;
  return sigaction(SIGTERM, &mine, nullptr) == 0;
}

}  // namespace

Watch::Watch(World& world, milliseconds deadline) : world_(world), deadline_(deadline) {
  if (simulated || world.size == 1) return;
  open_files();
  handles_ = handle_sigterm();
  thread_ = std::jthread([this](const std::stop_token& stop) { look(stop); });
}

void Watch::begin(Group& group, Link& link) {
  const std::lock_guard lock(mutex_);
  link_ = &link, group_.store(&group);
}

void Watch::closing() {
  const std::lock_guard lock(mutex_);
  group_.store(nullptr);
}

void Watch::stop() {
  if (thread_.joinable()) thread_.request_stop(), thread_.join();
  for (const pollfd& f : files_)
    if (f.fd >= 0) close(f.fd);
  files_.clear();
  if (handles_) std::signal(SIGTERM, SIG_DFL);
  if (std::exchange(handles_, false) && told_to_end.load()) std::raise(SIGTERM);
}

void Watch::open_files() {
  for (int r = 0; r < world_.size; ++r) {
    const pid_t pid = world_.pids[static_cast<std::size_t>(r)];
    if (r == world_.rank || pid == 0) continue;
    const int file = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (file >= 0) files_.push_back({file, POLLIN, 0}), ranks_.push_back(r);
  }
}

void Watch::look(const std::stop_token& stop) {
  constexpr milliseconds step{10}, a_pause{500};
  for (auto last = Time::now(); !stop.stop_requested();) {
    if (files_.empty())
      std::this_thread::sleep_for(step);
    else
      poll(files_.data(), files_.size(), static_cast<int>(step.count()));
    const std::lock_guard lock(mutex_);
    const auto now = Time::now();
    const auto away = std::chrono::duration_cast<milliseconds>(now - last);
    last = now;
    const bool stood_still = away > a_pause;
    if (stood_still && group_.load()) link_->forgive(away);
    if (group_.load()) look_at_processes(), look_at_nodes(), look_at_failure();
    if (told_to_end.load()) obey();
    if (!stood_still && world_.waiting_for() > deadline_ + milliseconds(500)) end(overdue());
  }
}

/// The message about an MPI call that has waited too long, with the ranks of this node for which it waits.
std::string Watch::overdue() const {
  std::string who;
  for (const int r : world_.absent()) who += (who.empty() ? "rank " : ", rank ") + std::to_string(r);
  const std::string so_long = " for more than " + std::to_string(deadline_.count()) + " ms";
  if (who.empty()) return "[comm-timeout] a call of MPI waits for other ranks" + so_long;
  return "[comm-timeout] " + who + " never came to run_ranks number " + std::to_string(world_.visits()) +
         " of the job; the others have waited" + so_long;
}

void Watch::look_at_processes() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    pollfd& f = files_[i];
    if (f.fd < 0 || !f.revents) continue;
    close(f.fd);
    f.fd = -1, f.revents = 0;
    const int rank = ranks_[i];
    group_.load()->lose(
        {rank}, "is gone: its process " + std::to_string(world_.pids[static_cast<std::size_t>(rank)]) + " has ended");
  }
}

void Watch::look_at_nodes() {
  if (world_.nodes == 1 || !world_.leads() || group_.load()->all_over()) return;
  // Leaders send news every 50 ms, but their machine may be busy.
  const milliseconds most = std::max(deadline_ * 4 / 5, milliseconds(1000));
  for (int node = 0; node < world_.nodes; ++node)
    if (node != world_.node && link_->silence(node) > most && !group_.load()->board().failed())
      group_.load()->lose(world_.members(node), "is on a node that has been silent for " +
                                                    std::to_string(link_->silence(node).count()) + " ms");
}

/// Called after SIGTERM: mpirun may have noticed a lost rank before this process, which therefore checks for lost ranks
/// and reports them before the signal ends it.
void Watch::obey() {
  constexpr milliseconds unusual{300};
  poll(files_.data(), files_.size(), 0);
  Group* group = group_.load();
  if (group) look_at_processes();
  for (int node = 0; group && node < world_.nodes; ++node)
    if (node != world_.node && world_.leads() && link_->silence(node) > unusual && !group->board().failed())
      group->lose(world_.members(node), "is on a node that was silent when the job was ended");
  if (group) look_at_failure();
  std::signal(SIGTERM, SIG_DFL);
  std::raise(SIGTERM);
}

void Watch::look_at_failure() {
  Group& group = *group_.load();
  if (!group.board().failed()) return;
  const Failure f = group.board().failure();
  const std::string sentence = RanksError(f.kind, f.sentence, f.ranks).what();
  if (failed_at_ == Time::time_point{}) failed_at_ = Time::now();
  if (group.state().lost.load() != 0 && !said_) {
    said_ = true;
    world_.break_off();
    say(sentence);
  }
  if (!over_.load() && Time::now() - failed_at_ > group.grace()) end(said_ ? "ends, for the group did" : sentence);
}

void Watch::say(const std::string& sentence) const {
  const std::string line =
      "ptox: rank " + std::to_string(world_.rank) + " of " + std::to_string(world_.size) + ": " + sentence + "\n";
  [[maybe_unused]] const auto written = write(2, line.data(), line.size());
}

void Watch::end(const std::string& sentence) const {
  say(sentence);
  std::signal(SIGTERM, SIG_DFL);
  world_.end_process(1);
}

}  // namespace ptox::comm::mpi
