// SPDX-License-Identifier: Apache-2.0
// Random values for updates, and the comparison of results.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "engine/system/random.hpp"
#include "host/ops_oracle.hpp"

namespace ptox::ops_test {

/// An element type that can be moved but not added.
struct Triple {
  float x, y, z;
};

/// The number of mantissa bits of a float type, which is the position of its exponent.
template <class T>
inline constexpr int mantissa_bits = std::same_as<T, pto::half>         ? 10
                                     : std::same_as<T, pto::bfloat16_t> ? 7
                                     : std::same_as<T, double>          ? 52
                                                                        : 23;
template <class T>
inline constexpr bool is_float = Updated<T> && !std::is_integral_v<T>;

template <class T>
T from_code(std::uint64_t code) {
  T value;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(static_cast<void*>(&value), &code, sizeof value);
  return value;
}

/// Zeros, subnormals, the limits of normal numbers, infinities, quiet and signaling NaNs; of either sign.
template <class T>
T special(Random& random) {
  const int bits = 8 * sizeof(T), m = mantissa_bits<T>;
  const std::uint64_t one = 1, sign = one << (bits - 1), infinity = sign - (one << m);
  const std::uint64_t codes[] = {0,
                                 0,
                                 1,
                                 (one << m) - 1,
                                 one << m,
                                 infinity - 1,
                                 (infinity >> 1 >> m) << m,
                                 infinity,
                                 infinity | 1,
                                 infinity | (one << (m - 1)) | 5};
  const std::uint64_t code = codes[random.below(random.below(8) == 0 ? std::size(codes) : 7)];
  return from_code<T>(code | (random.below(2) ? sign : 0));
}

/// Random values of the whole range, with an increased probability of limits and of numbers around one.
template <class T>
T any_value(Random& random) {
  const std::uint64_t kind = random.below(8);
  if constexpr (is_float<T>) {
    if (kind == 0) return special<T>(random);
    if (kind < 6) return static_cast<T>((static_cast<double>(random.below(1 << 24)) - (1 << 23)) / (1 << 20));
  } else if constexpr (std::is_integral_v<T>) {
    if (kind == 0) return static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(random.below(3)));
    if (kind == 1) return static_cast<T>(std::numeric_limits<T>::min() + static_cast<T>(random.below(3)));
  } else if constexpr (sizeof(T) > 8) {
    return {any_value<float>(random), any_value<float>(random), any_value<float>(random)};
  }
  return from_code<T>(random.next());
}

template <class T>
bool is_nan(T value) {
  if constexpr (is_float<T>) return std::isnan(static_cast<double>(value));
  return false;
}

/// Any NaN is a correct sum, because the compiler decides which payload the sum of two NaNs keeps. Therefore NaNs in
/// `actual` are replaced by the expected ones where both are NaN, and the rest is compared bit for bit. Not for Max and
/// Min, which add nothing.
template <class T>
void take_nans(T* actual, const T* expected, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (is_nan(actual[i]) && is_nan(expected[i])) actual[i] = expected[i];
}

}  // namespace ptox::ops_test
