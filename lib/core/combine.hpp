// SPDX-License-Identifier: Apache-2.0
// What is left in memory when a value meets another: the value, the sum, the larger, the smaller?
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>

#include "pto/isa/policy.hpp"
#include "pto/tile/dtype.hpp"

namespace ptox {

/// Integer sums wrap; half and bfloat16 are summed in float and rounded once a step; Max and Min keep the old value
/// where the comparison is false, NaN included.
template <class T>
T combined(pto::ScatterAtomicOp op, T old, T value) {
  if (op == pto::ScatterAtomicOp::None) return value;
  if (op == pto::ScatterAtomicOp::Max) return value > old ? value : old;
  if (op == pto::ScatterAtomicOp::Min) return value < old ? value : old;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(old) + static_cast<U>(value)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return old + value;
  } else {
    return static_cast<T>(static_cast<float>(old) + static_cast<float>(value));
  }
}

/// memory = combined(memory, *from), not interrupted by another thread doing the same.
template <class T>
void combine_atomically(pto::ScatterAtomicOp op, std::byte* to, T value) {
  using Word = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(T) != 0) {  // no lock-free way across a word's edge
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    T old;
    std::memcpy(&old, to, sizeof old);
    old = combined(op, old, value);
    std::memcpy(to, &old, sizeof old);
    return;
  }
  auto* word = reinterpret_cast<Word*>(to);
  Word before = __atomic_load_n(word, __ATOMIC_RELAXED), after;
  do after = std::bit_cast<Word>(combined(op, std::bit_cast<T>(before), value));
  while (!__atomic_compare_exchange_n(word, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/// Updates are atomic whoever else runs: blocks, other launches, plain calls of other threads.
template <class T>
void combine(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if (op != pto::ScatterAtomicOp::None) return combine_atomically<T>(op, to, value);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace ptox
