// SPDX-License-Identifier: Apache-2.0
// The flags that a kernel has set and not yet waited for, in program order.
#pragma once

#include <array>
#include <string>

#include "engine/report/findings.hpp"
#include "pto/tile/event.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

/// A flag as it is written in a kernel: "(PIPE_V, PIPE_MTE3, EVENT_ID0)".
std::string flag_text(pipe_t src, pipe_t dst, event_t id);
Where flag_where(const char* instruction, pipe_t src, pipe_t dst, event_t id);

/// Counts the sets and waits of the kernel's eight event ids when they are issued, independent of how far the pipes
/// have executed.
class FlagBook {
 public:
  using Site = pto::instr::Site;
  void start() { *this = FlagBook(); }

  /// The call site that set the flag, if no wait has been issued for it; otherwise nullptr.
  const Site* open(pipe_t src, pipe_t dst, event_t id) const {
    const Entry& e = entries_[number(src, dst, id)];
    return e.balance > 0 ? &e.site : nullptr;
  }
  void set(pipe_t src, pipe_t dst, event_t id, Site site) {
    Entry& e = entries_[number(src, dst, id)];
    ++e.balance, e.site = site;
  }
  void wait(pipe_t src, pipe_t dst, event_t id) { --entries_[number(src, dst, id)].balance; }

  /// Calls visit(src, dst, id, site) for each flag that is still set.
  template <class V>
  void each_open(V&& visit) const {
    for (pipe_t s = 0; s < pipes; ++s)
      for (pipe_t d = 0; d < pipes; ++d)
        for (event_t i = 0; i < ids; ++i)
          if (const Site* site = open(s, d, i)) visit(s, d, i, *site);
  }

 private:
  static constexpr int pipes = 8, ids = 8;
  struct Entry {
    int balance = 0;  // sets minus waits; negative if waits were issued first
    Site site;
  };
  static std::size_t number(pipe_t s, pipe_t d, event_t i) {
    return (static_cast<std::size_t>(s) * pipes + d) * ids + i;
  }
  std::array<Entry, pipes * pipes * ids> entries_{};
};

}  // namespace ptox
