// SPDX-License-Identifier: Apache-2.0
// Vector types and operations of one instruction set. Included by one source file for each SIMD level, which is
// compiled with the flags of that level. Everything is in an unnamed namespace, so that no other file links to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "loops/inline.hpp"

namespace ptox {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T, int lanes>
struct VectorOf {
  using type __attribute__((vector_size(lanes * sizeof(T)))) = T;
};
template <class T, int lanes>
using Vector = typename VectorOf<T, lanes>::type;

constexpr int word_lanes = vector_bytes / 4;
using Bytes = Vector<unsigned char, vector_bytes>;
template <int lanes>
using Floats = Vector<float, lanes>;
template <int lanes>
using Words = Vector<std::uint32_t, lanes>;
template <int lanes>
using Halves = Vector<std::uint16_t, lanes>;

template <class V>
PTOX_INLINE V load(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
PTOX_INLINE void store(void* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof v);
}
template <class To, class From>
PTOX_INLINE To as(const From& v) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &v, sizeof to);
  return to;
}

template <class V>
struct ElementOf {
  using type = V;
};
template <class V>
  requires requires(V v) { v[0]; }
struct ElementOf<V> {
  using type = std::remove_cvref_t<decltype(V{}[0])>;
};

// Inline assembly keeps the order of the operands: of two NaNs the sum is the first, and all loops for the same sums
// must agree, but compilers swap operands. Assemblers swap them too where that makes an instruction shorter, unless the
// length of its prefix is given ({vex3}).
#if defined(__AVX512F__)
#define PTOX_SUM(name)                                      \
  if constexpr (sizeof(V) == 64)                            \
    asm("v" name " %2, %1, %0" : "=v"(a) : "v"(a), "v"(b)); \
  else                                                      \
    asm("%{vex3%} v" name " %2, %1, %0" : "=x"(a) : "x"(a), "x"(b))
#elif defined(__AVX__)
#define PTOX_SUM(name) asm("%{vex3%} v" name " %2, %1, %0" : "=x"(a) : "x"(a), "x"(b))
#elif defined(__x86_64__)
#define PTOX_SUM(name) asm(name " %1, %0" : "+x"(a) : "x"(b))
#endif

/// The sum of two vectors or of two numbers; of two NaNs the first.
template <class V>
PTOX_INLINE V sum_of(V a, V b) {
  using T = typename ElementOf<V>::type;
  [[maybe_unused]] constexpr bool one = std::is_same_v<T, V>;
  if constexpr (std::is_integral_v<T>) return static_cast<V>(a + b);
#if defined(PTOX_SUM)
  else if constexpr (std::is_same_v<T, float> && one) {
    PTOX_SUM("addss");
  } else if constexpr (std::is_same_v<T, float>) {
    PTOX_SUM("addps");
  } else if constexpr (std::is_same_v<T, double> && one) {
    PTOX_SUM("addsd");
  } else if constexpr (std::is_same_v<T, double>) {
    PTOX_SUM("addpd");
  }
#if defined(__AVX512FP16__)
  else if constexpr (one)
    asm("vaddsh %2, %1, %0" : "=v"(a) : "v"(a), "v"(b));
  else
    asm("vaddph %2, %1, %0" : "=v"(a) : "v"(a), "v"(b));
#endif
  return a;
#elif defined(__aarch64__)
  else if constexpr (std::is_same_v<T, float> && one)
    asm("fadd %s0, %s1, %s2" : "=w"(a) : "w"(a), "w"(b));
  else if constexpr (std::is_same_v<T, float>)
    asm("fadd %0.4s, %1.4s, %2.4s" : "=w"(a) : "w"(a), "w"(b));
  else if constexpr (one)
    asm("fadd %d0, %d1, %d2" : "=w"(a) : "w"(a), "w"(b));
  else
    asm("fadd %0.2d, %1.2d, %2.2d" : "=w"(a) : "w"(a), "w"(b));
  return a;
#else
  else
    return a + b;
#endif
}
#undef PTOX_SUM

/// `a` in lanes where `mask` is set, else `b`; lanes of a mask are all ones or all zeros.
template <class M, class V>
PTOX_INLINE V choose(M mask, V a, V b) {
  return mask ? a : b;
}

/// A cache line of 64 bytes in registers.
struct Line {
  Bytes part[64 / vector_bytes];
};
PTOX_INLINE Line load_line(const std::byte* from) {
  Line line;
  for (int i = 0; i < 64 / vector_bytes; ++i) line.part[i] = load<Bytes>(from + i * vector_bytes);
  return line;
}
/// A line that consists of four pieces of 16 bytes.
PTOX_INLINE Line line_of(Words<4> a, Words<4> b, Words<4> c, Words<4> d) {
#if defined(__AVX512F__)
  const __m256i low = _mm256_set_m128i(as<__m128i>(b), as<__m128i>(a));
  const __m256i high = _mm256_set_m128i(as<__m128i>(d), as<__m128i>(c));
  return {{as<Bytes>(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1))}};
#elif defined(__AVX2__)
  return {{as<Bytes>(_mm256_set_m128i(as<__m128i>(b), as<__m128i>(a))),
           as<Bytes>(_mm256_set_m128i(as<__m128i>(d), as<__m128i>(c)))}};
#else
  return {{as<Bytes>(a), as<Bytes>(b), as<Bytes>(c), as<Bytes>(d)}};
#endif
}

/// Writes a line to an address that is a multiple of 64, with non-temporal stores.
PTOX_INLINE void stream_line(std::byte* to, const Line& line) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), as<__m512i>(line.part[0]));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), as<__m256i>(line.part[0]));
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to + 32), as<__m256i>(line.part[1]));
#elif defined(__x86_64__)
  for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to + i * 16), as<__m128i>(line.part[i]));
#elif defined(__aarch64__)
  for (int i = 0; i < 4; i += 2)
    asm volatile("stnp %q0, %q1, [%2]" : : "w"(line.part[i]), "w"(line.part[i + 1]), "r"(to + i * 16) : "memory");
#else
  __builtin_memcpy(to, line.part, 64);
#endif
}

/// A fence: other threads see earlier non-temporal stores before later stores.
PTOX_INLINE void stream_end() {
#if defined(__x86_64__)
  _mm_sfence();
#elif defined(__aarch64__)
  asm volatile("dmb ishst" : : : "memory");
#endif
}

// Intrinsics, because g++ 12 compiles __builtin_convertvector between vectors of different widths to several
// instructions.
template <int lanes>
PTOX_INLINE Words<lanes> widen(Halves<lanes> h) {
#if defined(__AVX512F__)
  if constexpr (lanes == 16) return as<Words<16>>(_mm512_cvtepu16_epi32(as<__m256i>(h)));
#endif
#if defined(__AVX2__)
  if constexpr (lanes == 8) return as<Words<8>>(_mm256_cvtepu16_epi32(as<__m128i>(h)));
#endif
  return __builtin_convertvector(h, Words<lanes>);
}
/// The lower half of each word.
template <int lanes>
PTOX_INLINE Halves<lanes> narrow(Words<lanes> w) {
#if defined(__AVX512F__)
  if constexpr (lanes == 16) return as<Halves<16>>(_mm512_cvtepi32_epi16(as<__m512i>(w)));
#elif defined(__AVX2__)
  if constexpr (lanes == 8) {
    const __m256i low = _mm256_and_si256(as<__m256i>(w), _mm256_set1_epi32(0xffff));
    const __m256i packed = _mm256_packus_epi32(low, low);
    return as<Halves<8>>(_mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
  }
#endif
  return __builtin_convertvector(w, Halves<lanes>);
}

/// Loads a half from memory into lane `at` of a vector of zeros.
template <int at>
PTOX_INLINE Halves<8> load_half(const std::byte* from) {
#if defined(__x86_64__)
  return as<Halves<8>>(
      _mm_insert_epi16(_mm_setzero_si128(), load<short>(from), at));  // not by way of an integer register
#else
  Halves<8> h{};
  h[at] = load<std::uint16_t>(from);
  return h;
#endif
}

/// Conversion without instructions for halves. Multiplication by 2^112 adjusts the exponent, also of subnormals.
template <int lanes>
PTOX_INLINE Floats<lanes> widen_f16_anywhere(Halves<lanes> h) {
  const Words<lanes> code = widen<lanes>(h), magnitude = (code & 0x7fffu) << 13;
  const Words<lanes> moved = as<Words<lanes>>(as<Floats<lanes>>(magnitude) * 0x1p112f), top = magnitude | 0x7f800000u;
  return as<Floats<lanes>>(choose(magnitude >= (0x7c00u << 13), top, moved) | (code & 0x8000u) << 16);
}
template <int lanes>
PTOX_INLINE Halves<lanes> narrow_f16_anywhere(Floats<lanes> f) {
  using W = Words<lanes>;
  const W bits = as<W>(f), magnitude = bits & 0x7fffffffu, sign = (bits >> 16) & 0x8000u;
  // At least 2^-14: 112 is subtracted from the exponent, and the value is rounded at bit 13. Below: adding 0.5 rounds
  // at 2^-24.
  const W normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const W small = as<W>(as<Floats<lanes>>(magnitude) + 0.5f) - 0x3f000000u;
  const W nan = ((magnitude >> 13) & 0x3ffu) | 0x7e00u, infinity = W{} + 0x7c00u;
  W code = choose(magnitude < (113u << 23), small, normal);
  code = choose(magnitude >= 0x47800000u, infinity, code);
  code = choose(magnitude > 0x7f800000u, nan, code);
  return narrow<lanes>(code | sign);
}

template <int lanes>
PTOX_INLINE Floats<lanes> widen_f16(Halves<lanes> h) {
#if defined(__F16C__)
  if constexpr (lanes == 4) return as<Floats<4>>(_mm_cvtph_ps(_mm_set_epi64x(0, as<long long>(h))));
  if constexpr (lanes == 8) return as<Floats<8>>(_mm256_cvtph_ps(as<__m128i>(h)));
#endif
#if defined(__AVX512F__)
  if constexpr (lanes == 16) return as<Floats<16>>(_mm512_cvtph_ps(as<__m256i>(h)));
#endif
#if defined(__aarch64__)
  if constexpr (lanes == 4) {  // assembly, because <arm_neon.h> defines a bfloat16_t
    Floats<4> f;
    asm("fcvtl %0.4s, %1.4h" : "=w"(f) : "w"(h));
    return f;
  }
#endif
  return widen_f16_anywhere<lanes>(h);
}
/// Rounds to nearest, ties to even; a NaN becomes a quiet NaN.
template <int lanes>
PTOX_INLINE Halves<lanes> narrow_f16(Floats<lanes> f) {
#if defined(__F16C__)
  if constexpr (lanes == 4)
    return as<Halves<4>>(_mm_cvtsi128_si64(_mm_cvtps_ph(as<__m128>(f), _MM_FROUND_TO_NEAREST_INT)));
  if constexpr (lanes == 8) return as<Halves<8>>(_mm256_cvtps_ph(as<__m256>(f), _MM_FROUND_TO_NEAREST_INT));
#endif
#if defined(__AVX512F__)
  if constexpr (lanes == 16) return as<Halves<16>>(_mm512_cvtps_ph(as<__m512>(f), _MM_FROUND_TO_NEAREST_INT));
#endif
#if defined(__aarch64__)
  if constexpr (lanes == 4) {
    Halves<4> h;
    asm("fcvtn %0.4h, %1.4s" : "=w"(h) : "w"(f));
    return h;
  }
#endif
  return narrow_f16_anywhere<lanes>(f);
}

/// Converts the first half of a vector only.
PTOX_INLINE float widen_first_f16(Halves<8> h) {
#if defined(__F16C__)
  return _mm_cvtss_f32(_mm_cvtph_ps(as<__m128i>(h)));
#else
  return widen_f16<4>(Halves<4>{h[0]})[0];
#endif
}
PTOX_INLINE std::uint16_t narrow_one_f16(float f) {
#if defined(__F16C__)
#if defined(__clang__)
  const __m128 first = _mm_set_ss(f);
#else
  __m128 first;
  asm("" : "=x"(first) : "0"(f));  // other lanes are undefined: g++ would clear them first
#endif
  return as<Halves<8>>(_mm_cvtps_ph(first, _MM_FROUND_TO_NEAREST_INT))[0];
#else
  return narrow_f16<4>(Floats<4>{f})[0];
#endif
}

}  // namespace
}  // namespace ptox
