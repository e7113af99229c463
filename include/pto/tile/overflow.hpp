// SPDX-License-Identifier: Apache-2.0
// Does a product or a sum leave 63 bits?
#pragma once

#include <cstdint>

namespace pto::instr {

#ifdef __CUDACC__
/// As the compilers' builtins, which nvcc has not in constants: whether it does; `result` is set where it does not.
constexpr bool mul_overflows(std::int64_t a, std::int64_t b, std::int64_t* result) {
  constexpr std::int64_t low = INT64_MIN, high = INT64_MAX;
  const bool small = a >= INT32_MIN && a <= INT32_MAX && b >= INT32_MIN && b <= INT32_MAX;
  const bool over = !small && a != 0 && b != 0 &&
                    (a > 0 ? (b > 0 ? a > high / b : b < low / a) : (b > 0 ? a < low / b : b < high / a));
  if (!over) *result = a * b;
  return over;
}
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t* result) {
  const bool over = b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b;
  if (!over) *result = a + b;
  return over;
}
#else
/// Whether it does; `result` is set where it does not.
constexpr bool mul_overflows(std::int64_t a, std::int64_t b, std::int64_t* result) {
  return __builtin_mul_overflow(a, b, result);
}
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t* result) {
  return __builtin_add_overflow(a, b, result);
}
#endif

}  // namespace pto::instr
