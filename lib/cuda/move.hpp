// SPDX-License-Identifier: Apache-2.0
// The description of an indexed move that a kernel of the GPU receives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/isa/policy.hpp"

namespace ptox::cuda {

using OutOfRange = pto::instr::OutOfRange;

/// The first index that nothing defines, kept on the device until somebody asks.
struct Offence {
  static constexpr unsigned long long none = ~0ull;
  static constexpr unsigned free = ~0u;
  unsigned long long position = none;  ///< all bits are set in one that is cleared
  unsigned long long index = none;
  unsigned lock = free;
};

/// Rows between a table, by index, and a run of `count` rows. Addresses are the device's, steps bytes.
struct Move {
  std::byte* table = nullptr;
  std::byte* moved = nullptr;  ///< gathered into, or scattered from
  const void* idx = nullptr;
  std::int64_t count = 0, capacity = 0;
  std::int64_t row_bytes = 0, table_step = 0, moved_step = 0;
  bool wide = false;  ///< indices of 64 bits
  OutOfRange oob = OutOfRange::undefined;
  Offence* offence = nullptr;
  const int* skip = nullptr;               ///< nothing is done when that is not zero
  const std::uint32_t* winners = nullptr;  ///< by slot: one more than the position that is stored there
};

/// The largest unit of 1 to 16 bytes that all addresses, steps and rows are multiples of.
constexpr int unit_bytes(std::uint64_t either) {
  for (int bytes : {16, 8, 4, 2})
    if (either % static_cast<std::uint64_t>(bytes) == 0) return bytes;
  return 1;
}
inline int unit_bytes(const Move& m) {
  return unit_bytes(reinterpret_cast<std::uintptr_t>(m.table) | reinterpret_cast<std::uintptr_t>(m.moved) |
                    static_cast<std::uint64_t>(m.row_bytes | m.table_step | m.moved_step));
}

}  // namespace ptox::cuda
