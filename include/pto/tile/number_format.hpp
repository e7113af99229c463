// SPDX-License-Identifier: Apache-2.0
// The narrow number formats: rounding a value to the bits of half, bfloat16, float8 and hifloat8, and widening them.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace pto::instr::number {

inline constexpr std::uint64_t double_sign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t double_infinity = std::uint64_t{0x7FF} << 52;
inline constexpr std::uint64_t double_hidden_bit = std::uint64_t{1} << 52;

constexpr int exponent_of(std::uint64_t double_magnitude) { return static_cast<int>(double_magnitude >> 52) - 1023; }

// Every source is converted to double before it is narrowed. A source that does not fit is truncated, and the lowest
// bit of the double is then set as a sticky bit. No narrow format keeps more than 11 bits, so the sticky bit never
// appears in a result, but it prevents an inexact value from being treated as a tie: the value is rounded once.
template <std::integral T>
constexpr double sticky_double(T value) {
  static_assert(sizeof(T) <= 8, "a wider integer has to be narrowed by its owner first");
  if constexpr (sizeof(T) <= 4) {
    return static_cast<double>(value);
  } else {
    const bool negative = value < T{0};
    auto magnitude = static_cast<std::uint64_t>(value);
    if (negative) magnitude = 0 - magnitude;
    const int excess = static_cast<int>(std::bit_width(magnitude)) - 53;
    if (excess > 0) {
      const std::uint64_t kept = magnitude >> excess;
      const bool more = (kept << excess) != magnitude;
      magnitude = (kept | (more ? 1u : 0u)) << excess;
    }
    const auto result = static_cast<double>(magnitude);
    return negative ? -result : result;
  }
}

template <std::floating_point T>
constexpr double sticky_double(T value) {
  const auto nearest = static_cast<double>(value);
  if constexpr (std::numeric_limits<T>::digits <= std::numeric_limits<double>::digits) {
    return nearest;
  } else {
    const auto back = static_cast<T>(nearest);
    if (back == value || value != value) return nearest;
    const bool rounded_away = (back > value) == (value > T{0});
    const auto bits = std::bit_cast<std::uint64_t>(nearest);
    return std::bit_cast<double>((bits - (rounded_away ? 1u : 0u)) | 1u);
  }
}

// What a finite value beyond the largest finite code becomes.
enum class Overflow { to_infinity, to_largest };

// What the codes with an all-ones exponent mean: infinity and NaNs as in IEEE 754, or ordinary numbers
// except for the last code, which is the only NaN.
enum class Top_exponent { infinity_and_nan, numbers_and_nan };

// An IEEE-like format: a sign bit, a biased exponent, a mantissa with a hidden bit, subnormals; it rounds to nearest,
// ties to even.
template <typename Storage, int exponent_bits, Overflow overflow, Top_exponent top_exponent>
struct Biased_format {
  using storage = Storage;
  static constexpr int width = 8 * sizeof(Storage);
  static constexpr int mantissa_bits = width - 1 - exponent_bits;
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr bool has_infinity = top_exponent == Top_exponent::infinity_and_nan;

  static constexpr unsigned magnitude_mask = (1u << (width - 1)) - 1;
  static constexpr unsigned mantissa_mask = (1u << mantissa_bits) - 1;
  static constexpr unsigned max_code = has_infinity ? magnitude_mask - mantissa_mask - 1 : magnitude_mask - 1;
  static constexpr unsigned min_code = 1u << mantissa_bits;
  // Where the format has no infinity, an infinite input saturates as well.
  static constexpr unsigned infinity_code = has_infinity ? max_code + 1 : max_code;
  static constexpr unsigned quiet_nan_code = has_infinity ? infinity_code | 1u << (mantissa_bits - 1) : magnitude_mask;
  static constexpr unsigned signaling_nan_code = has_infinity ? infinity_code | 1u : quiet_nan_code;

  static constexpr int digits = mantissa_bits + 1;
  static constexpr int min_exponent = 2 - bias;
  static constexpr int max_exponent = has_infinity ? bias + 1 : bias + 2;

  static constexpr Storage narrow(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<unsigned>(bits >> 63) << (width - 1);
    return static_cast<Storage>(sign | narrow_magnitude(bits & ~double_sign));
  }

  static constexpr float widen(Storage code) {
    const std::uint32_t sign = static_cast<std::uint32_t>(code >> (width - 1)) << 31;
    return std::bit_cast<float>(sign | widen_magnitude(code & magnitude_mask));
  }

 private:
  static constexpr unsigned narrow_magnitude(std::uint64_t magnitude) {
    if (magnitude >= double_infinity) {
      if (magnitude == double_infinity) return infinity_code;
      const auto payload = static_cast<unsigned>(magnitude >> (52 - mantissa_bits)) & mantissa_mask;
      return quiet_nan_code | payload;
    }
    const unsigned code = round(magnitude);
    if (code <= max_code) return code;
    return overflow == Overflow::to_infinity ? infinity_code : max_code;
  }

  // The hidden bit and a carry out of the mantissa each add one to the exponent field, so the sum needs no correction.
  static constexpr unsigned round(std::uint64_t magnitude) {
    const int above_smallest = exponent_of(magnitude) - (1 - bias);
    const int lost_to_subnormal = above_smallest < 0 ? -above_smallest : 0;
    const int wanted_shift = 52 - mantissa_bits + lost_to_subnormal;
    const int shift = wanted_shift < 54 ? wanted_shift : 54;  // a shift by 54 rounds everything to zero
    const std::uint64_t significand = (magnitude & (double_hidden_bit - 1)) | double_hidden_bit;
    const std::uint64_t odd = (significand >> shift) & 1;
    const std::uint64_t below_half = (std::uint64_t{1} << (shift - 1)) - 1;
    const auto rounded = static_cast<unsigned>((significand + below_half + odd) >> shift);
    const int exponent_field = above_smallest > 0 ? above_smallest : 0;
    return (static_cast<unsigned>(exponent_field) << mantissa_bits) + rounded;
  }

  static constexpr std::uint32_t widen_magnitude(std::uint32_t magnitude) {
    const std::uint32_t aligned = magnitude << (23 - mantissa_bits);
    if constexpr (bias == 127) {
      return aligned;
    } else {
      if (magnitude > max_code) return aligned | 0x7F800000u;
      if (magnitude >= min_code) return aligned + (static_cast<std::uint32_t>(127 - bias) << 23);
      // Subnormal codes of this format are normal floats, and this product is exact.
      constexpr auto smallest = std::bit_cast<float>((128u - bias - mantissa_bits) << 23);
      return std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * smallest);
    }
  }
};

// A sign bit; a prefix 11, 10, 01, 001 or 0001 for 4, 3, 2, 1 or 0 exponent bits; the exponent as sign and
// magnitude with a hidden leading one; 1, 2 or 3 mantissa bits. Prefix 0000 holds the denormals 2^(m-23).
// Ties round away from zero. The code after 2^15 is infinity, not 1.5 * 2^15, and it is reached by
// rounding as if it were that number: from 1.25 * 2^15 = 40960 on the result is infinite, nothing
// saturates. Half of the smallest denormal rounds up to it. There is no negative zero, because its code is
// the only NaN: -0 and negative values that round to zero become 0x00, and a NaN loses its sign.
struct Hifloat8_format {
  using storage = std::uint8_t;
  static constexpr bool has_infinity = true;
  static constexpr unsigned max_code = 0x6E;
  static constexpr unsigned min_code = 0x7E;
  static constexpr unsigned infinity_code = 0x6F;
  static constexpr unsigned quiet_nan_code = 0x80;
  static constexpr unsigned signaling_nan_code = quiet_nan_code;
  // The precision depends on the exponent; as for a posit, `digits` is the precision of values around one.
  static constexpr int digits = 4;
  static constexpr int min_exponent = -14;
  static constexpr int max_exponent = 16;

  static constexpr storage narrow(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = bits & ~double_sign;
    if (magnitude > double_infinity) return quiet_nan_code;
    const unsigned code = narrow_magnitude(magnitude);
    const bool negative = bits != magnitude && code != 0;
    return static_cast<storage>(negative ? code | 0x80u : code);
  }

  static constexpr float widen(storage code);

  // Every code is represented exactly by the upper 16 bits of a float.
  static constexpr std::uint16_t float_high_half(unsigned code) {
    const unsigned sign = (code & 0x80) << 8;
    const unsigned magnitude = code & 0x7F;
    if (magnitude == 0) return code == 0 ? 0 : 0x7FC0;
    if (magnitude == infinity_code) return static_cast<std::uint16_t>(sign | 0x7F80);
    if (magnitude < 8) return static_cast<std::uint16_t>(sign | (127 - 23 + magnitude) << 7);
    const unsigned exponent_bits = exponent_bits_of_code(magnitude);
    const unsigned mantissa_bits = mantissa_bits_beside(exponent_bits);
    const unsigned mantissa = magnitude & ((1u << mantissa_bits) - 1);
    const int exponent = decode_exponent(magnitude >> mantissa_bits, exponent_bits);
    const auto biased = static_cast<unsigned>(127 + exponent);
    return static_cast<std::uint16_t>(sign | biased << 7 | mantissa << (7 - mantissa_bits));
  }

 private:
  static constexpr unsigned exponent_bits_of_code(unsigned magnitude) {
    if (magnitude >= 0x20) return (magnitude >> 5) + 1;
    return magnitude >= 0x10 ? 1 : 0;
  }

  static constexpr unsigned prefix_of(unsigned exponent_bits) {
    if (exponent_bits >= 2) return (exponent_bits - 1) << 5;
    return exponent_bits == 1 ? 0x10 : 0x08;
  }

  static constexpr unsigned mantissa_bits_beside(unsigned exponent_bits) {
    return exponent_bits <= 2 ? 3 : 5 - exponent_bits;
  }

  static constexpr int decode_exponent(unsigned field, unsigned exponent_bits) {
    if (exponent_bits == 0) return 0;
    const unsigned hidden_one = 1u << (exponent_bits - 1);
    const auto size = static_cast<int>(hidden_one | (field & (hidden_one - 1)));
    return (field & hidden_one) != 0 ? -size : size;
  }

  static constexpr unsigned encode_exponent(int exponent, unsigned exponent_bits) {
    if (exponent_bits == 0) return 0;
    const unsigned hidden_one = 1u << (exponent_bits - 1);
    const auto size = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
    return (size & (hidden_one - 1)) | (exponent < 0 ? hidden_one : 0);
  }

  static constexpr unsigned exponent_bits_for(int exponent) {
    return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(exponent < 0 ? -exponent : exponent)));
  }

  static constexpr unsigned narrow_magnitude(std::uint64_t magnitude) {
    const int exponent = exponent_of(magnitude);
    if (exponent > 15) return infinity_code;
    if (exponent < -22) return exponent == -23 ? 1 : 0;
    const unsigned kept_bits = exponent < -15 ? 0 : mantissa_bits_beside(exponent_bits_for(exponent));
    return encode(magnitude + (double_hidden_bit >> (kept_bits + 1)));
  }

  // After a carry the mantissa is zero, so the result is right even if the new exponent has another number of mantissa
  // bits.
  static constexpr unsigned encode(std::uint64_t rounded) {
    const int exponent = exponent_of(rounded);
    if (exponent > 15) return infinity_code;
    if (exponent < -15) return static_cast<unsigned>(exponent + 23);
    const unsigned exponent_bits = exponent_bits_for(exponent);
    const unsigned mantissa_bits = mantissa_bits_beside(exponent_bits);
    const unsigned field = encode_exponent(exponent, exponent_bits);
    const unsigned mantissa_mask = (1u << mantissa_bits) - 1;
    const unsigned mantissa = static_cast<unsigned>(rounded >> (52 - mantissa_bits)) & mantissa_mask;
    return prefix_of(exponent_bits) | field << mantissa_bits | mantissa;
  }
};

struct Hifloat8_widened {
  std::uint16_t high_half[256];
};

inline constexpr Hifloat8_widened hifloat8_widened = [] {
  Hifloat8_widened table{};
  for (unsigned code = 0; code < 256; ++code) table.high_half[code] = Hifloat8_format::float_high_half(code);
  return table;
}();

constexpr float Hifloat8_format::widen(storage code) {
#ifdef __CUDA_ARCH__  // device code cannot access arrays of the host
  return std::bit_cast<float>(static_cast<std::uint32_t>(float_high_half(code)) << 16);
#else
  return std::bit_cast<float>(static_cast<std::uint32_t>(hifloat8_widened.high_half[code]) << 16);
#endif
}

}  // namespace pto::instr::number
