// SPDX-License-Identifier: Apache-2.0
// Updates (add, max, min) units of elements in memory that other threads update at the same time.
#pragma once

#include "cuda/elements.cuh"

namespace ptox::cuda {

/// *p = next_of(*p) by compare-and-swap, repeated until no other thread interferes. A value that would not change is
/// not written.
template <class Word, class F>
__device__ void exchange(Word* p, F&& next_of) {
  Word old = *const_cast<volatile Word*>(p), seen;
  do {
    seen = old;
    const Word next = next_of(seen);
    if (next == seen) return;
    old = atomicCAS(p, seen, next);
  } while (old != seen);
}

/// Combines all elements of a word, which are narrower than a word.
template <class T, Op op>
__device__ std::uint32_t combined_word(std::uint32_t old, std::uint32_t value) {
  using Bits = BitsOf<sizeof(T)>;
  std::uint32_t next = 0;
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8 * static_cast<int>(sizeof(T)))
    next |= std::uint32_t{combined<T, op>(static_cast<Bits>(old >> shift), static_cast<Bits>(value >> shift))} << shift;
  return next;
}

/// Updates one element that is narrower than a word.
template <class T, Op op>
__device__ void update_part(void* p, BitsOf<sizeof(T)> value) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  const int shift = static_cast<int>(at % 4) * 8;
  const std::uint32_t mask = ((1u << 8 * sizeof(T)) - 1) << shift;
  exchange(reinterpret_cast<unsigned*>(at / 4 * 4), [&](unsigned old) {
    const auto next = combined<T, op>(static_cast<BitsOf<sizeof(T)>>((old & mask) >> shift), value);
    return (old & ~mask) | static_cast<unsigned>(next) << shift;
  });
}

/// Updates a word of 4 bytes, or of 8 for elements of 8 bytes.
template <class T, Op op>
__device__ void update_word(void* p, auto bits) {
  constexpr bool whole = std::is_integral_v<T>;
  if constexpr (sizeof(T) == 8) {
    using Native = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    if constexpr (std::is_same_v<T, double> && op == Op::Add)
      atomicAdd(static_cast<double*>(p), wide<double>(bits));
    else if constexpr (whole && op == Op::Add)
      atomicAdd(static_cast<unsigned long long*>(p), static_cast<unsigned long long>(bits));
    else if constexpr (whole && op == Op::Max)
      atomicMax(static_cast<Native*>(p), static_cast<Native>(bits));
    else if constexpr (whole && op == Op::Min)
      atomicMin(static_cast<Native*>(p), static_cast<Native>(bits));
    else
      exchange(static_cast<unsigned long long*>(p),
               [&](unsigned long long old) -> unsigned long long { return combined<T, op>(old, bits); });
  } else if constexpr (sizeof(T) == 4) {
    using Native = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
    if constexpr (std::is_same_v<T, float> && op == Op::Add)
      atomicAdd(static_cast<float*>(p), wide<float>(bits));
    else if constexpr (whole && op == Op::Add)
      atomicAdd(static_cast<unsigned*>(p), bits);
    else if constexpr (whole && op == Op::Max)
      atomicMax(static_cast<Native*>(p), static_cast<Native>(bits));
    else if constexpr (whole && op == Op::Min)
      atomicMin(static_cast<Native*>(p), static_cast<Native>(bits));
    else
      exchange(static_cast<unsigned*>(p), [&](unsigned old) -> unsigned { return combined<T, op>(old, bits); });
  } else {
    exchange(static_cast<unsigned*>(p), [&](unsigned old) { return combined_word<T, op>(old, bits); });
  }
}

/// Adds two elements of type half or bfloat16_t.
template <class T>
__device__ void add_pair(void* p, std::uint32_t v) {
  if constexpr (std::is_same_v<T, ::half>) {
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(p), "r"(v) : "memory");
  } else {
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(p), "r"(v) : "memory");
#else
    update_word<T, Op::Add>(p, v);
#endif
  }
}

/// Adds one element of type half or bfloat16_t.
template <class T>
__device__ void add_one(void* p, std::uint16_t v) {
  if constexpr (std::is_same_v<T, ::half>) {
    asm volatile("{ .reg .b16 old; atom.global.add.noftz.f16 old, [%0], %1; }" ::"l"(p), "h"(v) : "memory");
  } else {
#if __CUDA_ARCH__ >= 900
    asm volatile("{ .reg .b16 old; atom.global.add.noftz.bf16 old, [%0], %1; }" ::"l"(p), "h"(v) : "memory");
#else
    update_part<T, Op::Add>(p, v);
#endif
  }
}

template <class T>
inline constexpr bool narrow_float = std::is_same_v<T, ::half> || std::is_same_v<T, ::bfloat16_t>;
/// Whether some GPUs (sm_90) can add 16 bytes of such elements by one instruction.
template <class T, Op op>
inline constexpr bool adds_vectors = op == Op::Add && (std::is_same_v<T, float> || narrow_float<T>);

/// Adds 16 bytes of elements, by one instruction where the GPU has it.
template <class T>
__device__ void add_vector(void* p, uint4 v) {
#if __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<T, float>)
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(__uint_as_float(v.x)),
                 "f"(__uint_as_float(v.y)), "f"(__uint_as_float(v.z)), "f"(__uint_as_float(v.w))
                 : "memory");
  else if constexpr (std::is_same_v<T, ::half>)
    asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z),
                 "r"(v.w)
                 : "memory");
  else
    asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z),
                 "r"(v.w)
                 : "memory");
#else
  const std::uint32_t words[] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    void* word = static_cast<std::uint32_t*>(p) + k;
    if constexpr (narrow_float<T>)
      add_pair<T>(word, words[k]);
    else
      update_word<T, Op::Add>(word, words[k]);
  }
#endif
}

/// Updates a word that is in global memory. For a generic address, the compiler would test the address space at run
/// time.
template <class T, Op op>
__device__ void update_global_word(void* p, auto bits) {
  if constexpr (std::is_same_v<T, float> && op == Op::Add)
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "f"(__uint_as_float(bits))
                 : "memory");
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4 && op == Op::Add)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(bits) : "memory");
  else if constexpr (std::is_same_v<T, std::int32_t> && op == Op::Max)
    asm volatile("red.global.max.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(bits) : "memory");
  else if constexpr (std::is_same_v<T, std::int32_t> && op == Op::Min)
    asm volatile("red.global.min.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(bits) : "memory");
  else if constexpr (std::is_same_v<T, std::uint32_t> && op == Op::Max)
    asm volatile("red.global.max.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(bits) : "memory");
  else if constexpr (std::is_same_v<T, std::uint32_t> && op == Op::Min)
    asm volatile("red.global.min.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(bits) : "memory");
  else
    update_word<T, op>(p, bits);
}

/// Updates a unit of elements in global memory; the update of each element is atomic.
template <class T, Op op, class Unit>
__device__ void update_unit(void* p, Unit value) {
  constexpr bool words = sizeof(Unit) >= 4;
  if constexpr (sizeof(Unit) == 16 && adds_vectors<T, op>) {
    add_vector<T>(p, value);
  } else if constexpr (words && sizeof(T) == 8) {
    std::uint64_t parts[sizeof(Unit) / 8];
    __builtin_memcpy(parts, &value, sizeof value);
    for (unsigned k = 0; k < sizeof(Unit) / 8; ++k) update_word<T, op>(static_cast<std::uint64_t*>(p) + k, parts[k]);
  } else if constexpr (words) {
    std::uint32_t parts[sizeof(Unit) / 4];
    __builtin_memcpy(parts, &value, sizeof value);
    for (unsigned k = 0; k < sizeof(Unit) / 4; ++k)
      if constexpr (narrow_float<T> && op == Op::Add)
        add_pair<T>(static_cast<std::uint32_t*>(p) + k, parts[k]);
      else
        update_global_word<T, op>(static_cast<std::uint32_t*>(p) + k, parts[k]);
  } else {
    using Bits = BitsOf<sizeof(T)>;
    static_assert(sizeof(Unit) == sizeof(T));
    Bits bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    if constexpr (narrow_float<T> && op == Op::Add)
      add_one<T>(p, bits);
    else
      update_part<T, op>(p, bits);
  }
}

}  // namespace ptox::cuda
