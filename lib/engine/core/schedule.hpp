// SPDX-License-Identifier: Apache-2.0
// The instruction queues of the pipes, and the order in which the pipes execute them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "engine/core/clock.hpp"
#include "engine/system/random.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

class Core;

/// The state of S when it issued a task: its vector clock, cycle and step.
struct IssuePoint {
  Clock clock;
  std::uint64_t cycle = 0;
  std::uint32_t step = 0;
};

/// The queues of a core's pipes. Without a seed each task runs when it is issued, unless a wait blocks its pipe. With a
/// seed the pipes run ahead of each other in a pseudo-random order. S executes the kernel itself and has no queue.
class Schedule {
 public:
  using Site = pto::instr::Site;
  explicit Schedule(Core& core) : core_(core), random_(0) {}

  void start(std::uint64_t seed, int block);

  /// Whether work that is issued to a pipe now runs immediately.
  bool runs_now(pipe_t pipe) const { return pipe == PIPE_S || (!seeded_ && queue(pipe).empty()); }
  /// Orders the pipe after everything that happened before this issue; call it before work that runs immediately.
  void enter(pipe_t pipe);
  /// Deferred work; the argument is the cycle at which it was issued.
  using Work = std::function<void(std::uint64_t issued)>;
  void post(pipe_t pipe, Site site, Work run);

  void set(pipe_t src, pipe_t dst, event_t id, Site site);
  /// Returns false if `dst` is S and nothing that is queued and can run sets the flag: S would wait forever.
  bool wait(pipe_t src, pipe_t dst, event_t id, Site site);
  /// Runs everything that can run. Returns false if tasks are left, which wait forever.
  bool drain();

  /// A wait at the head of a pipe's queue, which blocks the pipe.
  struct Stuck {
    pipe_t src, dst;
    event_t id;
    Site site;
    const Site* set_later;  ///< call site of a set that is queued behind another wait; nullptr: none
  };
  std::vector<Stuck> stuck() const;
  /// The call site of a set of that flag that is queued on its pipe, or nullptr.
  const Site* queued_set(pipe_t src, pipe_t dst, event_t id) const;
  /// Discards all queued tasks.
  void abandon();
  /// The present state of S.
  IssuePoint issue_point() const;

 private:
  enum class Kind : std::uint8_t { work, set, wait };
  struct Task {
    Kind kind;
    pipe_t src, dst;
    event_t id;
    Site site;
    IssuePoint issued;
    Work run;
  };
  static constexpr int pipes = 8;
  static constexpr std::size_t longest_queue = 64;       ///< tasks by which a seed lets a pipe fall behind
  static constexpr std::size_t deepest_queue = 1 << 14;  ///< tasks; if more of them cannot run, it is a deadlock

  std::deque<Task>& queue(pipe_t p) { return queues_[static_cast<std::size_t>(p)]; }
  const std::deque<Task>& queue(pipe_t p) const { return queues_[static_cast<std::size_t>(p)]; }
  void add(pipe_t pipe, Task task);
  bool can_step(pipe_t pipe) const;
  void step(pipe_t pipe);
  void perform(pipe_t pipe, const Task& task);
  /// A pipe whose next task can run, with a seed a random one, or -1.
  pipe_t pick();
  /// With a seed, between two instructions: may let another block run, and runs a random number of queued tasks.
  void wander();

  Core& core_;
  bool seeded_ = false;
  std::size_t queued_ = 0;
  std::array<std::deque<Task>, pipes> queues_;
  Random random_;
  std::array<std::uint32_t, pipes> speed_{};
  std::uint32_t haste_ = 0;
};

}  // namespace ptox
