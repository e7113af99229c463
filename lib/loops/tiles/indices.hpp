// SPDX-License-Identifier: Apache-2.0
// The slots that the indices of a tile select.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "loops/inline.hpp"
#include "pto/isa/host_move.hpp"
#include "pto/isa/table.hpp"

namespace ptox {

using pto::instr::HostMove;

PTOX_INLINE std::uint32_t load_index(const std::byte* p) {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// The slot of an index under the policy of the move; -1: none.
PTOX_INLINE std::int64_t slot_of(std::uint32_t index, const HostMove& m) {
  if (index < m.capacity) [[likely]]
    return index;
  return pto::instr::remap(index, m.capacity, m.oob).at;
}

/// Calls visit(r, slot) for each row in order, and stops at the first whose index is out of range. Returns the number
/// of that row, or m.rows.
template <class Visit>
PTOX_INLINE std::int64_t each_in_range(const std::byte* idx, const HostMove& m, Visit&& visit) {
  for (std::int64_t r = 0; r < m.rows; ++r) {
    const std::uint32_t index = load_index(idx + r * m.idx_step);
    if (index >= m.capacity) [[unlikely]]
      return r;
    visit(r, index);
  }
  return m.rows;
}

}  // namespace ptox
