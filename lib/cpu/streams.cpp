// SPDX-License-Identifier: Apache-2.0
#include "cpu/streams.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "cpu/host.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ptox {

namespace {

#if defined(__x86_64__)

constexpr int timed_lines = 16;
struct Room {
  alignas(64) std::int32_t lines[timed_lines * 16], table[16];
};

#define PTOX_AVX2 [[gnu::target("avx2")]]

PTOX_AVX2 void store_words(std::int32_t* to, __m256i words, bool past) {
  auto* const half = reinterpret_cast<__m256i*>(to);
  past ? _mm256_stream_si256(half, words) : _mm256_store_si256(half, words);
}
/// Half a line at a time, of words that are gathered or not, past the caches or not.
PTOX_AVX2 void write_lines(Room& room, bool gathers, bool past) {
  const __m256i at = _mm256_set_epi32(7, 14, 5, 12, 3, 10, 1, 8);
  for (std::int32_t* to = room.lines; to < room.lines + timed_lines * 16; to += 8)
    store_words(to, gathers ? _mm256_i32gather_epi32(room.table, at, 4) : at, past);
  _mm_sfence();
}

/// The least of some times, for whatever else runs only adds to them.
std::int64_t time_of(Room& room, bool gathers, bool past) {
  using Clock = std::chrono::steady_clock;
  auto least = Clock::duration::max();
  for (int i = 0; i < 4; ++i) {
    const auto begin = Clock::now();
    write_lines(room, gathers, past);
    least = std::min(least, Clock::now() - begin);
  }
  return least.count();
}

/// Whether both together take far longer than one after the other.
bool gathers_are_held() {
  if (!__builtin_cpu_supports("avx2")) return false;
  Room room{};
  return time_of(room, true, true) > 2 * (time_of(room, true, false) + time_of(room, false, true));
}

Streams of_machine() {
  __builtin_cpu_init();
  return {.slow = __builtin_cpu_is("intel") && !caches().large_second(),
          .hold_gathers = gathers_are_held(),
          .filled_by_one = static_cast<bool>(__builtin_cpu_is("amd"))};
}

#else

Streams of_machine() { return {}; }

#endif

Streams& counted() {
  static Streams streams = of_machine();
  return streams;
}

}  // namespace

const Streams& streams() { return counted(); }
void force_streams(const Streams* wanted) { counted() = wanted ? *wanted : of_machine(); }

}  // namespace ptox
