// SPDX-License-Identifier: Apache-2.0
#include "rank_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <stdexcept>

#include "installation.hpp"
#include "mpi_abi.hpp"

namespace ptox::tool {

namespace {

using Clock = std::chrono::steady_clock;

/// Whole lines of one stream of a rank, written with the number of the rank before each.
class Lines {
 public:
  Lines(int rank, int to) : begin_("[" + std::to_string(rank) + "] "), to_(to) {}

  void add(const char* text, std::size_t size) {
    rest_.append(text, size);
    std::string out;
    std::size_t at = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', at)) != rest_.npos; at = end + 1)
      out += begin_ + rest_.substr(at, end + 1 - at);
    rest_.erase(0, at);
    put(out);
  }
  void finish() {
    if (!rest_.empty()) put(begin_ + std::exchange(rest_, {}) + "\n");
  }

 private:
  void put(const std::string& text) const {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = ::write(to_, text.data() + at, text.size() - at);
      if (n <= 0) return;
      at += static_cast<std::size_t>(n);
    }
  }

  std::string begin_, rest_;
  int to_;
};

/// The process of one rank.
struct Process {
  pid_t pid = 0;
  int descriptor = -1;  ///< pidfd, readable when the process ends; -1 afterwards
  RankEnd end{};
};

/// A pipe from which output of a rank is read; -1 after its end.
struct Output {
  int pipe = -1;
  Lines lines;
};

class Group {
 public:
  Group(const std::vector<std::string>& command, const RankProcesses& options)
      : command_(command), options_(options), memory_(memfd_create("ptox mpi", 0)) {
    if (memory_ < 0 || ftruncate(memory_, sizeof(mpi_abi::Shared)) != 0)
      throw std::runtime_error(std::string("no memory for the ranks: ") + strerror(errno));
  }
  ~Group() {
    stop_all();  // some run only if starting or watching one has failed
    for (Process& p : processes_)
      if (p.descriptor >= 0) reap(p);
    close(memory_);
    for (const Output& o : outputs_)
      if (o.pipe >= 0) close(o.pipe);
  }
  Group(const Group&) = delete;

  std::vector<RankEnd> run() {
    processes_.resize(static_cast<std::size_t>(options_.ranks));
    for (int r = 0; r < options_.ranks; ++r) start(r);
    while (running() || any_output()) look();
    std::vector<RankEnd> ends;
    for (const Process& p : processes_) ends.push_back(p.end);
    return ends;
  }

 private:
  void start(int rank) {
    Process& p = processes_[static_cast<std::size_t>(rank)];
    auto variables = options_.variables(rank);
    const auto add = [&](const char* name, const std::string& value) { variables.emplace_back(name, value); };
    add("PTOX_RANK", std::to_string(rank));
    add("PTOX_RANKS", std::to_string(options_.ranks));
    add("PTOX_DEADLINE", std::to_string(options_.deadline_ms));
    add(mpi_abi::memory_variable, std::to_string(memory_));
    add("MPI_LIB_PATH", mpi_abi_library().string());
    StartedProgram started = start_program(command_, variables, options_.prefix);
    if (options_.prefix) {
      outputs_.push_back({started.out, Lines(rank, STDOUT_FILENO)});
      outputs_.push_back({started.err, Lines(rank, STDERR_FILENO)});
    }
    p.end.program.error = started.error;
    p.end.program.process = p.pid = started.process;
    if (!started.error.empty()) return note_end();
    p.descriptor = static_cast<int>(syscall(SYS_pidfd_open, p.pid, 0));
    if (p.descriptor < 0) throw std::runtime_error(std::string("cannot watch a rank: ") + strerror(errno));
  }

  bool running() const {
    return std::any_of(processes_.begin(), processes_.end(), [](const Process& p) { return p.descriptor >= 0; });
  }
  bool any_output() const {
    return std::any_of(outputs_.begin(), outputs_.end(), [](const Output& o) { return o.pipe >= 0; });
  }

  /// Waits until something happens, and handles it.
  void look() {
    std::vector<pollfd> files;
    for (const Process& p : processes_) files.push_back({p.descriptor, POLLIN, 0});
    for (const Output& o : outputs_) files.push_back({o.pipe, POLLIN, 0});
    constexpr int step_ms = 100;
    if (poll(files.data(), files.size(), step_ms) < 0 && errno != EINTR)
      throw std::runtime_error(std::string("cannot watch the ranks: ") + strerror(errno));
    for (std::size_t i = 0; i < processes_.size(); ++i)
      if (files[i].revents) reap(processes_[i]);
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (files[processes_.size() + i].revents) read(outputs_[i]);
    if (some_ended_ && Clock::now() >= kill_at_) stop_all();
  }

  void reap(Process& p) {
    close(p.descriptor);
    p.descriptor = -1;
    const bool stopped = p.end.stopped;
    p.end = {wait_for_program(p.pid), stopped};
    note_end();
    if (!running())  // what still has the pipes open is not a rank
      for (Output& o : outputs_) drain(o);
  }
  void note_end() {
    if (some_ended_) return;
    // Ranks that give up waiting at the deadline have a second to say so.
    some_ended_ = true, kill_at_ = Clock::now() + std::chrono::milliseconds(options_.deadline_ms + 1000);
  }
  void stop_all() {
    for (Process& p : processes_)
      if (p.descriptor >= 0 && !p.end.stopped) p.end.stopped = true, kill(p.pid, SIGKILL);
  }

  /// Reads once; closes the pipe at its end.
  static bool read(Output& o) {
    char text[65536];
    const ssize_t n = o.pipe < 0 ? 0 : ::read(o.pipe, text, sizeof text);
    if (n > 0) return o.lines.add(text, static_cast<std::size_t>(n)), true;
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
    if (o.pipe >= 0) o.lines.finish(), close(std::exchange(o.pipe, -1));
    return false;
  }
  static void drain(Output& o) {
    if (o.pipe < 0) return;
    fcntl(o.pipe, F_SETFL, O_NONBLOCK);
    while (read(o)) {
    }
    if (o.pipe >= 0) o.lines.finish(), close(std::exchange(o.pipe, -1));
  }

  const std::vector<std::string>& command_;
  const RankProcesses& options_;
  int memory_;
  std::vector<Process> processes_;
  std::vector<Output> outputs_;
  bool some_ended_ = false;
  Clock::time_point kill_at_{};
};

}  // namespace

std::vector<RankEnd> run_ranks(const std::vector<std::string>& command, const RankProcesses& options) {
  const InterruptsIgnored ignored;
  return Group(command, options).run();
}

}  // namespace ptox::tool
