// SPDX-License-Identifier: Apache-2.0
// The queues of the pipes, and what each pipe executes.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

class Core;

/// What S knew when it issued something.
struct IssuePoint {
  Clock clock;
  std::uint64_t cycle = 0;
  std::uint32_t step = 0;
};

/// The queues of a core's pipes. Without a seed everything runs when it is issued, as far as flags allow; with one, the
/// pipes run ahead of each other as the seed says. S is the kernel itself and never waits in a queue.
class Schedule {
 public:
  using Site = pto::instr::Site;
  explicit Schedule(Core& core) : core_(core), random_(0) {}

  void start(std::uint64_t seed, int block);

  /// Whether work issued to a pipe now runs at once.
  bool runs_now(pipe_t pipe) const { return pipe == PIPE_S || (!seeded_ && queue(pipe).empty()); }
  /// The pipe takes up what is issued now; before work that runs at once.
  void enter(pipe_t pipe);
  /// Work for later, told the cycle at which it was issued.
  using Work = std::function<void(std::uint64_t issued)>;
  void post(pipe_t pipe, Site site, Work run);

  void set(pipe_t src, pipe_t dst, event_t id, Site site);
  /// False: the scalar unit waits for ever.
  bool wait(pipe_t src, pipe_t dst, event_t id, Site site);
  /// Runs everything that can run. False: something waits for ever.
  bool drain();

  /// A wait at the head of a pipe's queue.
  struct Stuck {
    pipe_t src, dst;
    event_t id;
    Site site;
    const Site* set_later;  ///< where it is set, behind another wait; null: nowhere
  };
  std::vector<Stuck> stuck() const;
  /// Where a set of that flag waits in its pipe's queue, or null.
  const Site* queued_set(pipe_t src, pipe_t dst, event_t id) const;
  /// What is left in the queues will not run.
  void abandon();
  /// What S knows now.
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
  static constexpr std::size_t longest_queue = 64;       ///< that the seed lets a pipe fall behind
  static constexpr std::size_t deepest_queue = 1 << 14;  ///< behind a wait that nothing sets

  std::deque<Task>& queue(pipe_t p) { return queues_[static_cast<std::size_t>(p)]; }
  const std::deque<Task>& queue(pipe_t p) const { return queues_[static_cast<std::size_t>(p)]; }
  void add(pipe_t pipe, Task task);
  bool can_step(pipe_t pipe) const;
  void step(pipe_t pipe);
  void perform(pipe_t pipe, const Task& task);
  /// Some pipe whose next task can run, or -1.
  pipe_t pick();
  /// Steps that the seed takes between two instructions.
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
