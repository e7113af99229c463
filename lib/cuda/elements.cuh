// SPDX-License-Identifier: Apache-2.0
// Combines two elements on the GPU, with the bits of the host except for the payloads of NaNs.
#pragma once

#include <cstdint>
#include <type_traits>

#include "pto/isa/policy.hpp"
#include "pto/tile/dtype.hpp"

namespace ptox::cuda {

using Op = pto::ScatterAtomicOp;

template <int Bytes>
using BitsOf = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Converts the bits of an element of type T to the type in which T is computed; `narrow` converts back.
template <class T>
__device__ auto wide(BitsOf<sizeof(T)> bits) {
  if constexpr (std::is_same_v<T, ::half>) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
    return f;
  } else if constexpr (std::is_same_v<T, ::bfloat16_t>) {
    return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
  } else {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }
}
template <class T>
__device__ BitsOf<sizeof(T)> narrow(auto value) {
  if constexpr (std::is_same_v<T, ::half>) {
    std::uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
  } else if constexpr (std::is_same_v<T, ::bfloat16_t>) {
    std::uint16_t bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
  } else {
    BitsOf<sizeof(T)> bits;
    const T exact = value;
    __builtin_memcpy(&bits, &exact, sizeof bits);
    return bits;
  }
}

/// The same as instr::combined on the host, for the bits of elements.
template <class T, Op op>
__device__ BitsOf<sizeof(T)> combined(BitsOf<sizeof(T)> old, BitsOf<sizeof(T)> value) {
  using Bits = BitsOf<sizeof(T)>;
  if constexpr (op == Op::None) return value;
  if constexpr (op == Op::Max) return wide<T>(value) > wide<T>(old) ? value : old;
  if constexpr (op == Op::Min) return wide<T>(value) < wide<T>(old) ? value : old;
  if constexpr (std::is_integral_v<T>)
    return static_cast<Bits>(old + value);
  else
    return narrow<T>(wide<T>(old) + wide<T>(value));
}

/// Calls f.template operator()<T>() with the C++ type of a dtype, if elements of that type can be updated.
template <class F>
void with_updatable(pto::instr::DType d, F&& f) {
  pto::instr::with_type(d, [&]<class T>() {
    if constexpr (!std::is_same_v<T, ::float8_e4m3_t> && !std::is_same_v<T, ::float8_e5m2_t> &&
                  !std::is_same_v<T, ::hifloat8_t>)
      f.template operator()<T>();
  });
}

}  // namespace ptox::cuda
