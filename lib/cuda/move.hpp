// SPDX-License-Identifier: Apache-2.0
// The description of an indexed move that a kernel of the GPU receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "pto/isa/policy.hpp"

namespace ptox::cuda {

using OutOfRange = pto::instr::OutOfRange;

/// The record of the first undefined index of a call, in device memory until the stream is synchronised.
struct Offence {
  static constexpr unsigned long long none = ~0ull;
  static constexpr unsigned free = ~0u;
  unsigned long long position = none;  ///< a cleared record has all bits set
  unsigned long long index = none;
  unsigned lock = free;
};

/// An indexed move between rows of a table and `count` rows of an array. Addresses are device addresses, steps are in
/// bytes.
struct Move {
  std::byte* table = nullptr;
  std::byte* moved = nullptr;  ///< gathered into, or scattered from
  const void* idx = nullptr;
  std::int64_t count = 0, capacity = 0;
  std::int64_t row_bytes = 0, table_step = 0, moved_step = 0;
  bool wide = false;  ///< indices have 64 bits
  OutOfRange oob = OutOfRange::undefined;
  Offence* offence = nullptr;
  const int* skip = nullptr;               ///< if not null and its value is not zero, the kernels do nothing
  const std::uint32_t* winners = nullptr;  ///< by slot: one more than the position that is stored; null: any
};

/// The largest unit of 1 to 16 bytes of which all addresses, steps and row sizes are multiples. `either` is their
/// bitwise or.
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
