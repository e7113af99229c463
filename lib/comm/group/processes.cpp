// SPDX-License-Identifier: Apache-2.0
// Runs ranks as processes that this process forks.
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <system_error>

#include "comm/group/board.hpp"
#include "comm/group/mail.hpp"
#include "comm/group/member.hpp"
#include "comm/group/shared_fabric.hpp"
#include "engine/launch/plain.hpp"
#include "engine/memory/updates.hpp"
#include "engine/system/pool.hpp"
#include "ptox/device.hpp"

namespace ptox::comm {

namespace {

#ifndef P_PIDFD
constexpr auto P_PIDFD = static_cast<idtype_t>(3);  // since Linux 5.4; older headers lack it
#endif

/// Describes how a process ended.
std::string ending(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return "left with exit status " + std::to_string(info.si_status);
  const char* name = strsignal(info.si_status);
  return "was killed by signal " + std::to_string(info.si_status) + (name ? std::string(" (") + name + ")" : "");
}

/// Memory that the ranks share, allocated before they are forked.
class Shared {
 public:
  Shared(int n, const RanksOptions& options)
      : board_(Board::create(n), Board::destroy), heap_(Heap::reserve(n, options.symmetric_bytes, true)) {
    void* p = mmap(nullptr, UpdateLocks::bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    locks_ = p == MAP_FAILED ? nullptr : p;
    if (!locks_) heap_.release(), throw std::system_error(errno, std::generic_category(), "run_ranks: locks");
  }
  ~Shared() {
    heap_.release();
    munmap(locks_, UpdateLocks::bytes);
  }
  Shared(const Shared&) = delete;

  Board& board() { return *board_; }
  const Heap& heap() const { return heap_; }
  void* locks() const { return locks_; }

 private:
  std::unique_ptr<Board, void (*)(Board*) noexcept> board_;
  Heap heap_;
  void* locks_;
};

void stop_if_the_group_has_ended() {
  if (Member* member = current_member()) member->go_on();
}

/// Runs the body in a forked rank, sends its results to the parent process and ends the process.
[[noreturn]] void live(int id, Shared& shared, const detail::RankBody& body, const RanksOptions& options,
                       const Mailbox& mailbox) {
  static_cast<void>(take_process_report().findings());  // ends a launch of plain calls that was under way at the fork
  UpdateLocks::share(shared.locks(), stop_if_the_group_has_ended);
  share_machine(shared.board().size());
  Mail mail;
  bool returned = false;
  {
    Member member(std::make_unique<SharedFabric>(id, shared.board(), shared.heap(), false), options);
    returned = run_rank(member, body, mail.answer);
    end_plain_launch();
  }
  mail.report = move_plain_report();
  mail.launches = take_launch_report();
  mailbox.write(mail);
  discard_report_file();
  std::cout.flush();
  std::fflush(nullptr);
  shared.board().seat(id).state.store(returned ? Seat::returned : Seat::lost);
  shared.board().ring_all();
  _exit(0);
}

/// The processes of the forked ranks. The destructor kills those that still run and reaps all of them.
class Children {
 public:
  explicit Children(Board& board) : board_(board) {}
  ~Children() {
    kill_all();
    while (running() > 0) look(std::chrono::milliseconds(1000));
  }
  Children(const Children&) = delete;

  void add(int id, pid_t pid) {
    const int file = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    const int error = errno;
    if (file < 0) {
      kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
      throw std::system_error(error, std::generic_category(), "run_ranks: watching rank " + std::to_string(id));
    }
    files_.push_back({file, POLLIN, 0});
  }
  int running() const {
    return static_cast<int>(std::count_if(files_.begin(), files_.end(), [](const pollfd& f) { return f.fd >= 0; }));
  }
  /// Waits up to `patience` for a process to end, and reaps every process that has ended.
  void look(std::chrono::milliseconds patience) {
    if (poll(files_.data(), files_.size(), static_cast<int>(patience.count())) <= 0) return;
    for (std::size_t id = 0; id < files_.size(); ++id)
      if (files_[id].fd >= 0 && files_[id].revents) reap(static_cast<int>(id));
  }
  void kill_all() {
    for (const pollfd& f : files_)
      if (f.fd >= 0) syscall(SYS_pidfd_send_signal, f.fd, SIGKILL, nullptr, 0);
  }
  /// Called in a forked rank: closes the inherited descriptors, since only the parent process monitors the ranks.
  void forget() {
    for (const pollfd& f : files_)
      if (f.fd >= 0) close(f.fd);
    files_.clear();
  }

 private:
  void reap(int id) {
    pollfd& file = files_[static_cast<std::size_t>(id)];
    siginfo_t info{};
    const bool known = waitid(P_PIDFD, static_cast<id_t>(file.fd), &info, WEXITED) == 0;
    close(file.fd);
    file.fd = -1, file.revents = 0;
    Seat& seat = board_.seat(id);
    if (seat.state.load() != Seat::running) return;
    const std::string op = last_op_text(seat.op.text(), seat.rows.load(), seat.of_rows.load());
    board_.fail_for_sure({FindingKind::comm_dead_rank,
                          "rank " + std::to_string(id) + " " + (known ? ending(info) : "is gone") + ", last in " + op,
                          {id}});
    seat.state.store(Seat::lost);  // after the failure: a rank that sees this state throws the recorded failure
    board_.ring_all();
  }

  Board& board_;
  std::vector<pollfd> files_;
};

/// Returns when the processes of all ranks have ended. After a failure they get some time to reach their next wait;
/// those that still run afterwards are killed.
void watch(Children& children, Board& board, std::chrono::milliseconds deadline) {
  constexpr std::chrono::milliseconds short_grace{200}, step{20};
  Deadline until = Deadline::max();
  while (children.running() > 0) {
    children.look(step);
    if (board.failed() && until == Deadline::max())
      until = Time::now() +
              (board.failure().kind == FindingKind::comm_timeout ? std::min(short_grace, deadline) : deadline);
    if (Time::now() >= until) children.kill_all();
  }
}

/// Initialises what ranks use before the fork: a child would deadlock on an initialisation that another thread of the
/// parent process had begun.
void make_what_ranks_need(const Target& target) {
  static_cast<void>(default_seed());
  auto nothing = [] {};
  static_cast<void>(detail::DefaultDevice::run(Device(target), {}, detail::job_of(nothing, "nothing")));
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the parameters are those of Runner.
std::vector<std::string> run_processes(int n, detail::RankBody body, const RanksOptions& options) {
  Shared shared(n, options);
  make_what_ranks_need(options.target);
  std::vector<Mailbox> mailboxes(static_cast<std::size_t>(n));
  const pid_t parent = getpid();
  std::cout.flush();
  std::fflush(nullptr);  // otherwise every child would write the buffered output again
  {
    Children children(shared.board());
    for (int id = 0; id < n; ++id) {
      const pid_t pid = fork();
      if (pid < 0)
        throw std::system_error(errno, std::generic_category(), "run_ranks: no process for rank " + std::to_string(id));
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        children.forget();
        live(id, shared, body, options, mailboxes[static_cast<std::size_t>(id)]);
      }
      children.add(id, pid);
    }
    watch(children, shared.board(), options.deadline);
  }
  std::vector<std::string> answers;
  for (const Mailbox& box : mailboxes) {
    Mail mail = box.read();
    if (!mail.report.findings().empty()) add_to_plain_report(mail.report);
    if (!mail.launches.findings().empty()) add_to_launch_report(mail.launches);
    answers.push_back(std::move(mail.answer));
  }
  if (shared.board().failed()) throw_failure(shared.board().failure());
  return answers;
}

}  // namespace ptox::comm
