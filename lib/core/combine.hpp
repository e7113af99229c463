// SPDX-License-Identifier: Apache-2.0
// What is left in memory when a value meets another: the value, the sum, the larger, the smaller?
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/updates.hpp"
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

/// memory = combined(memory, *from)
template <class T>
void apply(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from) {
  T old, value;
  std::memcpy(&value, from, sizeof value);
  if (op != pto::ScatterAtomicOp::None) std::memcpy(&old, to, sizeof old), value = combined(op, old, value);
  std::memcpy(to, &value, sizeof value);
}

/// The same, and no update is lost whoever else runs: blocks, other launches, plain calls of other threads.
template <class T>
void combine(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from) {
  if (op == pto::ScatterAtomicOp::None) return apply<T>(op, to, from);
  Updates updates;
  updates.element(to, [&] { apply<T>(op, to, from); });
}

}  // namespace ptox
