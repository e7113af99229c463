// SPDX-License-Identifier: Apache-2.0
// Which work of a core comes before which, and which flags are set?
#pragma once

#include <array>

#include "core/clock.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

/// Happens-before between the pipes of one core: program order within a pipe, a set before its wait, barriers, and
/// issue: what S waited for and the loads it finished come before everything issued later.
class Pipes {
 public:
  enum class Outcome { done, already_set, never_set };

  void start() { *this = Pipes(); }

  /// The next piece of work on a pipe; its time among the work of that agent.
  std::uint32_t advance(pipe_t pipe, bool stores);
  /// Whether work that `agent` did at `time` comes before what `pipe` does now.
  bool before(Agent agent, std::uint32_t time, pipe_t pipe) const;

  Outcome set(pipe_t src, pipe_t dst, event_t id, pto::instr::Site site);
  Outcome wait(pipe_t src, pipe_t dst, event_t id);
  void barrier(pipe_t pipe);

  /// Where the flag was set, while it is.
  const pto::instr::Site* set_at(pipe_t src, pipe_t dst, event_t id) const;
  /// Calls visit(src, dst, id, site) for each flag that is still set.
  template <class V>
  void each_set(V&& visit) const {
    for (pipe_t s = 0; s < pipes; ++s)
      for (pipe_t d = 0; d < pipes; ++d)
        for (event_t i = 0; i < ids; ++i)
          if (const pto::instr::Site* site = set_at(s, d, i)) visit(s, d, i, *site);
  }

 private:
  static constexpr int pipes = 8, ids = 8;
  struct Flag {
    bool set = false;
    Clock clock;
    pto::instr::Site site;
  };
  const Flag& flag(pipe_t s, pipe_t d, event_t i) const {
    return flags_[static_cast<std::size_t>((s * pipes + d) * ids + i)];
  }
  Flag& flag(pipe_t s, pipe_t d, event_t i) { return flags_[static_cast<std::size_t>((s * pipes + d) * ids + i)]; }
  Clock& known(pipe_t p) { return known_[static_cast<std::size_t>(p)]; }
  const Clock& known(pipe_t p) const { return known_[static_cast<std::size_t>(p)]; }
  Clock issued() const;

  std::array<Clock, pipes> known_{};  // [PIPE_S] holds, for S's stores, those a flag brought back to S
  Clock now_;
  std::array<Flag, pipes * pipes * ids> flags_{};
};

}  // namespace ptox
