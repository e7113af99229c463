// SPDX-License-Identifier: Apache-2.0
// The narrow number types half, bfloat16, two float8 types and hifloat8, with arithmetic and limits.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "pto/tile/number_format.hpp"

namespace pto::instr::number {

template <typename T>
concept Arithmetic = std::is_arithmetic_v<T>;

// The common base of the narrow types. Self is the derived type; Format defines the meaning of its codes.
template <typename Self, typename Format>
class Narrow_number {
 public:
  using format = Format;
  using storage = typename Format::storage;

  Narrow_number() = default;

  template <Arithmetic T>
  constexpr Narrow_number(T value) : code_(Format::narrow(sticky_double(value))) {}

  // Converts from another narrow type through float, which represents it exactly. Explicit, because the result may be
  // much less precise.
  template <typename T>
    requires(!std::same_as<typename T::format, Format>)
  explicit constexpr Narrow_number(T value) : Narrow_number(T::format::widen(value.bits())) {}

  static constexpr Self from_bits(storage code) {
    Self result{};
    static_cast<Narrow_number&>(result).code_ = code;
    return result;
  }

  constexpr storage bits() const { return code_; }

  constexpr operator float() const { return Format::widen(code_); }

  template <std::convertible_to<float> T>
  constexpr Self& operator+=(const T& value) {
    return assign(Format::widen(code_) + operand(value));
  }

  template <std::convertible_to<float> T>
  constexpr Self& operator-=(const T& value) {
    return assign(Format::widen(code_) - operand(value));
  }

  template <std::convertible_to<float> T>
  constexpr Self& operator*=(const T& value) {
    return assign(Format::widen(code_) * operand(value));
  }

  template <std::convertible_to<float> T>
  constexpr Self& operator/=(const T& value) {
    return assign(Format::widen(code_) / operand(value));
  }

 private:
  // A double stays a double, so that x += d and x = x + d agree.
  template <typename T>
  static constexpr auto operand(const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      return value;
    } else {
      return static_cast<float>(value);
    }
  }

  template <typename T>
  constexpr Self& assign(T value) {
    code_ = Format::narrow(sticky_double(value));
    return static_cast<Self&>(*this);
  }

  storage code_;
};

using Half_format = Biased_format<std::uint16_t, 5, Overflow::to_infinity, Top_exponent::infinity_and_nan>;
using Bfloat16_format = Biased_format<std::uint16_t, 8, Overflow::to_infinity, Top_exponent::infinity_and_nan>;
using Float8_e4m3_format = Biased_format<std::uint8_t, 4, Overflow::to_largest, Top_exponent::numbers_and_nan>;
using Float8_e5m2_format = Biased_format<std::uint8_t, 5, Overflow::to_largest, Top_exponent::infinity_and_nan>;

}  // namespace pto::instr::number

// cuda_fp16.h, which headers of CUB and Thrust include, declares `half` as another name of its __half unless this macro
// is defined.
#if defined(__CUDA_FP16_H__) && !defined(CUDA_NO_HALF)
#error "cuda_fp16.h has declared half: include it after the headers of PTO, or define CUDA_NO_HALF before it"
#endif
#ifndef CUDA_NO_HALF
#define CUDA_NO_HALF
#endif

struct half : pto::instr::number::Narrow_number<half, pto::instr::number::Half_format> {
  using Narrow_number::Narrow_number;
};

struct bfloat16_t : pto::instr::number::Narrow_number<bfloat16_t, pto::instr::number::Bfloat16_format> {
  using Narrow_number::Narrow_number;
};

struct float8_e4m3_t : pto::instr::number::Narrow_number<float8_e4m3_t, pto::instr::number::Float8_e4m3_format> {
  using Narrow_number::Narrow_number;
};

struct float8_e5m2_t : pto::instr::number::Narrow_number<float8_e5m2_t, pto::instr::number::Float8_e5m2_format> {
  using Narrow_number::Narrow_number;
};

struct hifloat8_t : pto::instr::number::Narrow_number<hifloat8_t, pto::instr::number::Hifloat8_format> {
  using Narrow_number::Narrow_number;
};

using aclFloat16 = half;

namespace pto {
using ::aclFloat16;
using ::bfloat16_t;
using ::float8_e4m3_t;
using ::float8_e5m2_t;
using ::half;
using ::hifloat8_t;
}  // namespace pto

namespace pto::instr::number {

template <typename T>
struct Narrow_limits {
  using format = typename T::format;
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_iec559 = std::is_same_v<format, Half_format>;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool has_infinity = format::has_infinity;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = format::signaling_nan_code != format::quiet_nan_code;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;

  static constexpr int radix = 2;
  static constexpr int digits = format::digits;
  static constexpr int digits10 = (digits - 1) * 30103 / 100000;
  static constexpr int max_digits10 = digits * 30103 / 100000 + 2;
  static constexpr int min_exponent = format::min_exponent;
  static constexpr int max_exponent = format::max_exponent;
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;

  static constexpr T min() noexcept { return code(format::min_code); }
  static constexpr T max() noexcept { return code(format::max_code); }
  static constexpr T lowest() noexcept { return code(format::max_code | sign); }
  static constexpr T denorm_min() noexcept { return code(1); }
  static constexpr T epsilon() noexcept { return T(1.0f / (1 << (digits - 1))); }
  static constexpr T round_error() noexcept { return T(0.5f); }
  // For a format without infinity: the value to which an infinite float is converted.
  static constexpr T infinity() noexcept { return code(format::infinity_code); }
  static constexpr T quiet_NaN() noexcept { return code(format::quiet_nan_code); }
  static constexpr T signaling_NaN() noexcept { return code(format::signaling_nan_code); }

 private:
  static constexpr unsigned sign = 1u << (8 * sizeof(T) - 1);
  static constexpr T code(unsigned bits) { return T::from_bits(static_cast<typename T::storage>(bits)); }
};

}  // namespace pto::instr::number

template <>
struct std::numeric_limits<half> : pto::instr::number::Narrow_limits<half> {};
template <>
struct std::numeric_limits<bfloat16_t> : pto::instr::number::Narrow_limits<bfloat16_t> {};
template <>
struct std::numeric_limits<float8_e4m3_t> : pto::instr::number::Narrow_limits<float8_e4m3_t> {};
template <>
struct std::numeric_limits<float8_e5m2_t> : pto::instr::number::Narrow_limits<float8_e5m2_t> {};
template <>
struct std::numeric_limits<hifloat8_t> : pto::instr::number::Narrow_limits<hifloat8_t> {};
