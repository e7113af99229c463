// SPDX-License-Identifier: Apache-2.0
// The happens-before order of the work of one core: a vector clock for each pipe.
#pragma once

#include <array>
#include <vector>

#include "engine/core/clock.hpp"

namespace ptox {

/// Happens-before between the pipes of one core. Events may be recorded in any order in which they can execute. The
/// edges are program order within a pipe, a set before its wait, barriers, and issue: what S waited for and the loads
/// that it finished happen before everything that it issues later.
class Pipes {
 public:
  static constexpr int count = 8;
  static constexpr event_t own_id = 8;  ///< of flags that instructions set themselves; a kernel's are 0 to 7

  void start() { *this = Pipes(); }

  /// The clock of what happens before everything that S issues from now on.
  Clock issued() const;
  /// The pipe starts work that was issued at the clock `issued`.
  void enter(pipe_t pipe, const Clock& issued);
  /// Counts the next operation of a pipe. Returns its time: its number among the operations of that agent.
  std::uint32_t advance(pipe_t pipe, bool stores) { return ++now_[agent_of(pipe, stores)]; }
  /// Whether the operation of `agent` at `time` happens before what `pipe` does now.
  bool before(Agent agent, std::uint32_t time, pipe_t pipe) const;

  void set(pipe_t src, pipe_t dst, event_t id);
  bool is_set(pipe_t src, pipe_t dst, event_t id) const { return !flag(src, dst, id).empty(); }
  /// Consumes the oldest set of the flag that is left. Precondition: is_set.
  void wait(pipe_t src, pipe_t dst, event_t id);
  void barrier(pipe_t pipe);
  /// Discards all sets that were not waited for.
  void clear_flags() { flags_.fill({}); }

 private:
  static constexpr int ids = own_id + 1;
  using Flag = std::vector<Clock>;  // sets not yet waited for; several if src runs ahead of dst
  static std::size_t number(pipe_t s, pipe_t d, event_t i) {
    return (static_cast<std::size_t>(s) * count + d) * ids + i;
  }
  const Flag& flag(pipe_t s, pipe_t d, event_t i) const { return flags_[number(s, d, i)]; }
  Flag& flag(pipe_t s, pipe_t d, event_t i) { return flags_[number(s, d, i)]; }
  Clock& known(pipe_t p) { return known_[static_cast<std::size_t>(p)]; }
  const Clock& known(pipe_t p) const { return known_[static_cast<std::size_t>(p)]; }

  std::array<Clock, count> known_{};  // in [PIPE_S], S's stores count only as far as S has waited for them
  Clock now_;
  std::array<Flag, static_cast<std::size_t>(count) * count * ids> flags_{};
};

}  // namespace ptox
