// SPDX-License-Identifier: Apache-2.0
// The loops one would write without ptox, compiled on the machine that runs them with -O3 -march=native.
#include <cstdint>
#include <cstring>

namespace {

using std::int32_t, std::int64_t;

template <class T>
void gather_rows(T* __restrict table, const int32_t* __restrict idx, T* __restrict out, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < width; ++c) out[i * width + c] = table[idx[i] * width + c];
}

template <class T>
void scatter_rows(T* __restrict table, const int32_t* __restrict idx, T* __restrict src, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < width; ++c) table[idx[i] * width + c] = src[i * width + c];
}

/// A bfloat16: the upper half of a float.
struct Bf16 {
  std::uint16_t bits;
};
float widened(Bf16 x) {
  const std::uint32_t bits = std::uint32_t{x.bits} << 16;
  float out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}
/// Rounds to nearest, ties to even; a NaN becomes a quiet NaN.
Bf16 narrowed(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  const std::uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1u);
  return {static_cast<std::uint16_t>((nan ? bits | 0x400000u : rounded) >> 16)};
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
  Bf16 operator()(Bf16 a, Bf16 b) const { return narrowed(widened(a) + widened(b)); }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

template <class Op, class T>
void update_rows(T* __restrict table, const int32_t* __restrict idx, T* __restrict src, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = 0; c < width; ++c) {
      T& there = table[idx[i] * width + c];
      there = Op{}(there, src[i * width + c]);
    }
}

template <class T>
void gather(T* __restrict table, const int32_t* __restrict idx, T* __restrict out, int64_t n, int64_t) {
  for (int64_t i = 0; i < n; ++i) out[i] = table[idx[i]];
}

template <class T>
void scatter(T* __restrict table, const int32_t* __restrict idx, T* __restrict src, int64_t n, int64_t) {
  for (int64_t i = 0; i < n; ++i) table[idx[i]] = src[i];
}

template <class Op, class T>
void update(T* __restrict table, const int32_t* __restrict idx, T* __restrict src, int64_t n, int64_t) {
  for (int64_t i = 0; i < n; ++i) table[idx[i]] = Op{}(table[idx[i]], src[i]);
}

using Loop = void (*)(void* table, const int32_t* idx, void* moved, int64_t n, int64_t width);

template <class T, void (*F)(T*, const int32_t*, T*, int64_t, int64_t)>
void untyped(void* table, const int32_t* idx, void* moved, int64_t n, int64_t width) {
  F(static_cast<T*>(table), idx, static_cast<T*>(moved), n, width);
}

template <class T, void (*F)(T*, const int32_t*, T*, int64_t, int64_t)>
constexpr Loop loop = untyped<T, F>;

}  // namespace

extern "C" {

struct ptox_plain_loop {
  const char* name;
  Loop loop;
};

/// The loops with their names; the last name is null.
extern const ptox_plain_loop ptox_plain_loops[];
const ptox_plain_loop ptox_plain_loops[] = {
    {"gather_rows u8", loop<std::uint8_t, gather_rows>},
    {"gather_rows f32", loop<float, gather_rows>},
    {"gather f32", loop<float, gather>},
    {"scatter_rows u8", loop<std::uint8_t, scatter_rows>},
    {"scatter_rows f32", loop<float, scatter_rows>},
    {"scatter f32", loop<float, scatter>},
    {"add_rows f32", loop<float, update_rows<Add>>},
    {"add_rows bf16", loop<Bf16, update_rows<Add>>},
    {"add f32", loop<float, update<Add>>},
    {"add bf16", loop<Bf16, update<Add>>},
#if defined(__FLT16_MAX__)
    {"add_rows f16", loop<_Float16, update_rows<Add>>},
    {"add f16", loop<_Float16, update<Add>>},
#endif
    {"min_rows f32", loop<float, update_rows<Min>>},
    {"max i32", loop<int32_t, update<Max>>},
    {nullptr, nullptr},
};
}
