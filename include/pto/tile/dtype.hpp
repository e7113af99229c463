// SPDX-License-Identifier: Apache-2.0
// Element types as enumerators, for descriptors, rules and messages.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "pto/tile/number.hpp"

namespace pto::instr {

enum class DType : std::uint8_t { i8, u8, i16, u16, i32, u32, f16, bf16, f32, e4m3, e5m2, hif8, i64, u64, f64 };

inline constexpr DType all_dtypes[] = {DType::i8,   DType::u8,   DType::i16,  DType::u16, DType::i32,
                                       DType::u32,  DType::f16,  DType::bf16, DType::f32, DType::e4m3,
                                       DType::e5m2, DType::hif8, DType::i64,  DType::u64, DType::f64};

constexpr const char* name(DType d) {
  constexpr const char* names[] = {"i8",  "u8",     "i16",    "u16",  "i32", "u32", "f16", "bf16",
                                   "f32", "f8e4m3", "f8e5m2", "hif8", "i64", "u64", "f64"};
  return names[static_cast<int>(d)];
}

constexpr std::int64_t size_of(DType d) {
  constexpr std::uint64_t sizes = 0x888111422442211;  // one hex digit per type, lowest first; avoids an array
  return static_cast<std::int64_t>(sizes >> (4 * static_cast<int>(d)) & 15);
}

/// A set of element types.
struct DTypeSet {
  std::uint32_t bits = 0;
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> members) {
    for (DType d : members) bits |= 1u << static_cast<int>(d);
  }
  constexpr bool has(DType d) const { return bits >> static_cast<int>(d) & 1u; }
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) {
    a.bits |= b.bits;
    return a;
  }
};

template <class T>
struct DTypeOf {
  static constexpr bool known = false;
};
template <DType D>
struct KnownDType {
  static constexpr bool known = true;
  static constexpr DType value = D;
};
template <>
struct DTypeOf<std::int8_t> : KnownDType<DType::i8> {};
template <>
struct DTypeOf<std::uint8_t> : KnownDType<DType::u8> {};
template <>
struct DTypeOf<std::int16_t> : KnownDType<DType::i16> {};
template <>
struct DTypeOf<std::uint16_t> : KnownDType<DType::u16> {};
template <>
struct DTypeOf<std::int32_t> : KnownDType<DType::i32> {};
template <>
struct DTypeOf<std::uint32_t> : KnownDType<DType::u32> {};
template <>
struct DTypeOf<half> : KnownDType<DType::f16> {};
template <>
struct DTypeOf<bfloat16_t> : KnownDType<DType::bf16> {};
template <>
struct DTypeOf<float> : KnownDType<DType::f32> {};
template <>
struct DTypeOf<float8_e4m3_t> : KnownDType<DType::e4m3> {};
template <>
struct DTypeOf<float8_e5m2_t> : KnownDType<DType::e5m2> {};
template <>
struct DTypeOf<hifloat8_t> : KnownDType<DType::hif8> {};
template <>
struct DTypeOf<std::int64_t> : KnownDType<DType::i64> {};
template <>
struct DTypeOf<std::uint64_t> : KnownDType<DType::u64> {};
template <>
struct DTypeOf<double> : KnownDType<DType::f64> {};

template <class T>
concept Element = DTypeOf<std::remove_cv_t<T>>::known;

template <Element T>
inline constexpr DType dtype_of = DTypeOf<std::remove_cv_t<T>>::value;

/// Calls `f.template operator()<T>()` with the C++ type T that corresponds to `d`.
template <class F>
constexpr decltype(auto) with_type(DType d, F&& f) {
  switch (d) {
    case DType::i8:
      return f.template operator()<std::int8_t>();
    case DType::u8:
      return f.template operator()<std::uint8_t>();
    case DType::i16:
      return f.template operator()<std::int16_t>();
    case DType::u16:
      return f.template operator()<std::uint16_t>();
    case DType::i32:
      return f.template operator()<std::int32_t>();
    case DType::u32:
      return f.template operator()<std::uint32_t>();
    case DType::f16:
      return f.template operator()<half>();
    case DType::bf16:
      return f.template operator()<bfloat16_t>();
    case DType::f32:
      return f.template operator()<float>();
    case DType::e4m3:
      return f.template operator()<float8_e4m3_t>();
    case DType::e5m2:
      return f.template operator()<float8_e5m2_t>();
    case DType::hif8:
      return f.template operator()<hifloat8_t>();
    case DType::i64:
      return f.template operator()<std::int64_t>();
    case DType::u64:
      return f.template operator()<std::uint64_t>();
    default:
      return f.template operator()<double>();
  }
}

}  // namespace pto::instr
