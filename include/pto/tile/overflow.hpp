// SPDX-License-Identifier: Apache-2.0
// Sums and products that detect when the result needs more than 63 bits.
#pragma once

#include <cstdint>

namespace pto::instr {

#ifdef __CUDACC__
/// These functions return whether the result overflows, and set `result` if it does not. They replace compiler builtins
/// that nvcc does not accept in constant expressions.
__extension__ using Wide = __int128;
constexpr bool mul_overflows(std::int64_t a, std::int64_t b, std::int64_t* result) {
  if (a == 1 || b == 1) return *result = a == 1 ? b : a, false;  // often a constant 1, for which no code remains
  const Wide wide = static_cast<Wide>(a) * b;
  const bool over = wide != static_cast<Wide>(static_cast<std::int64_t>(wide));
  if (!over) *result = static_cast<std::int64_t>(wide);
  return over;
}
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t* result) {
  const bool over = b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b;
  if (!over) *result = a + b;
  return over;
}
#else
/// Returns whether the result overflows; sets `result` if it does not.
constexpr bool mul_overflows(std::int64_t a, std::int64_t b, std::int64_t* result) {
  return __builtin_mul_overflow(a, b, result);
}
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t* result) {
  return __builtin_add_overflow(a, b, result);
}
#endif

}  // namespace pto::instr
