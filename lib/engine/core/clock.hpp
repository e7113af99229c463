// SPDX-License-Identifier: Apache-2.0
// Vector clocks: what one pipe has observed of the work of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "pto/tile/event.hpp"

namespace ptox {

/// What accesses memory: one of the eight pipes, or `scalar_stores`. The stores of the scalar unit are separate from
/// its loads, because its loads happen before everything that it issues later, while its stores need a flag.
using Agent = int;
inline constexpr int agent_count = 9;
inline constexpr Agent scalar_stores = 8;

constexpr Agent agent_of(pipe_t pipe, bool stores) { return pipe == PIPE_S && stores ? scalar_stores : pipe; }
constexpr pipe_t pipe_of_agent(Agent a) { return a == scalar_stores ? PIPE_S : a; }

/// A vector clock: for each agent, how many of its operations happened before.
struct Clock {
  std::array<std::uint32_t, agent_count> at{};
  std::uint32_t& operator[](Agent a) { return at[static_cast<std::size_t>(a)]; }
  std::uint32_t operator[](Agent a) const { return at[static_cast<std::size_t>(a)]; }
  void join(const Clock& other) {
    for (Agent a = 0; a < agent_count; ++a) (*this)[a] = std::max((*this)[a], other[a]);
  }
};

}  // namespace ptox
