// SPDX-License-Identifier: Apache-2.0
// The flags that a kernel has set and not yet waited for, in program order.
#pragma once

#include <array>
#include <string>

#include "core/findings.hpp"
#include "pto/tile/event.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

/// A flag as the kernel writes it.
std::string flag_text(pipe_t src, pipe_t dst, event_t id);
Where flag_where(const char* instruction, pipe_t src, pipe_t dst, event_t id);

/// Sets and waits of the kernel's eight ids in program order, however far the pipes have come.
class FlagBook {
 public:
  using Site = pto::instr::Site;
  void start() { *this = FlagBook(); }

  /// Where it was set while no wait has been issued for it, or null.
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
    int balance = 0;  // below zero: waits that came first
    Site site;
  };
  static std::size_t number(pipe_t s, pipe_t d, event_t i) {
    return (static_cast<std::size_t>(s) * pipes + d) * ids + i;
  }
  std::array<Entry, pipes * pipes * ids> entries_{};
};

}  // namespace ptox
