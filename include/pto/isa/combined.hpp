// SPDX-License-Identifier: Apache-2.0
// The result of combining two values: replacement, sum, maximum or minimum.
#pragma once

#include <type_traits>

#include "pto/isa/policy.hpp"

namespace pto::instr {

/// The new value of an element whose old value is combined with `value`. Integer sums wrap around; half and bfloat16_t
/// are summed in float, and each sum is rounded; Max and Min keep the old value if the comparison is false, which
/// includes NaN.
template <class T>
constexpr T combined(ScatterAtomicOp op, T old, T value) {
  if (op == ScatterAtomicOp::None) return value;
  if (op == ScatterAtomicOp::Max) return value > old ? value : old;
  if (op == ScatterAtomicOp::Min) return value < old ? value : old;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(old) + static_cast<U>(value)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return old + value;
  } else {
    return static_cast<T>(static_cast<float>(old) + static_cast<float>(value));
  }
}

}  // namespace pto::instr
