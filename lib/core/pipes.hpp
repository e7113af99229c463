// SPDX-License-Identifier: Apache-2.0
// The happens-before order of the work of one core: a vector clock for each pipe.
#pragma once

#include <array>
#include <vector>

#include "core/clock.hpp"

namespace ptox {

/// Happens-before between the pipes of one core, told in any order that may happen: program order within a pipe, a set
/// before its wait, barriers, and issue: what S waited for and the loads it finished come before everything issued
/// later.
class Pipes {
 public:
  static constexpr int count = 8;
  static constexpr event_t own_id = 8;  ///< of the flags that instructions set by themselves, beside the kernel's eight

  void start() { *this = Pipes(); }

  /// What comes before everything that S issues from now on.
  Clock issued() const;
  /// A pipe takes up work that was issued then.
  void enter(pipe_t pipe, const Clock& issued);
  /// The next piece of work on a pipe; its time among the work of that agent.
  std::uint32_t advance(pipe_t pipe, bool stores) { return ++now_[agent_of(pipe, stores)]; }
  /// Whether work that `agent` did at `time` comes before what `pipe` does now.
  bool before(Agent agent, std::uint32_t time, pipe_t pipe) const;

  void set(pipe_t src, pipe_t dst, event_t id);
  bool is_set(pipe_t src, pipe_t dst, event_t id) const { return !flag(src, dst, id).empty(); }
  /// Consumes the earliest set that is left; there is one.
  void wait(pipe_t src, pipe_t dst, event_t id);
  void barrier(pipe_t pipe);
  /// No flag is set any more.
  void clear_flags() { flags_.fill({}); }

 private:
  static constexpr int ids = own_id + 1;
  using Flag = std::vector<Clock>;  // sets not yet waited for: src may run ahead of dst
  static std::size_t number(pipe_t s, pipe_t d, event_t i) {
    return (static_cast<std::size_t>(s) * count + d) * ids + i;
  }
  const Flag& flag(pipe_t s, pipe_t d, event_t i) const { return flags_[number(s, d, i)]; }
  Flag& flag(pipe_t s, pipe_t d, event_t i) { return flags_[number(s, d, i)]; }
  Clock& known(pipe_t p) { return known_[static_cast<std::size_t>(p)]; }
  const Clock& known(pipe_t p) const { return known_[static_cast<std::size_t>(p)]; }

  std::array<Clock, count> known_{};  // [PIPE_S] holds, for S's stores, those a flag brought back to S
  Clock now_;
  std::array<Flag, static_cast<std::size_t>(count) * count * ids> flags_{};
};

}  // namespace ptox
