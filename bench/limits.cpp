// SPDX-License-Identifier: Apache-2.0
#include "bench/limits.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ptox::bench {

namespace {

constexpr std::int64_t line = 64, ahead_bytes = 8192;

/// Calls f with the address of each cache line that a row touches.
template <class F>
void each_line(const std::byte* row, std::int64_t row_bytes, F f) {
  const auto first = reinterpret_cast<std::uintptr_t>(row) & ~std::uintptr_t{line - 1};
  const auto end = reinterpret_cast<std::uintptr_t>(row) + static_cast<std::uintptr_t>(row_bytes);
  for (std::uintptr_t at = first; at < end; at += line) f(reinterpret_cast<const std::byte*>(at));
}

std::uint64_t word_at(const std::byte* place) {
  std::uint64_t word;
  std::memcpy(&word, place, sizeof word);
  return word;
}

/// Calls f(first, end) for equal parts of [0, count), each on a thread of its own; bounds are multiples of `step`.
template <class F>
void in_parts(std::int64_t count, std::int64_t step, int threads, F f) {
  const std::int64_t part = (count / threads / step + 1) * step;
  std::vector<std::thread> others;
  for (std::int64_t first = part; first < count; first += part)
    others.emplace_back(f, first, std::min(first + part, count));
  f(std::int64_t{0}, std::min(part, count));
  for (std::thread& t : others) t.join();
}

#if defined(__x86_64__)
void copy_part(std::byte* to, const std::byte* from, std::int64_t bytes) {
  const auto* source = reinterpret_cast<const __m128i*>(from);
  auto* target = reinterpret_cast<__m128i*>(to);
  const std::int64_t lines = bytes / line;
  for (std::int64_t i = 0; i < 4 * lines; i += 4) {
    const __m128i a = _mm_load_si128(source + i), b = _mm_load_si128(source + i + 1),
                  c = _mm_load_si128(source + i + 2), d = _mm_load_si128(source + i + 3);
    _mm_stream_si128(target + i, a), _mm_stream_si128(target + i + 1, b);
    _mm_stream_si128(target + i + 2, c), _mm_stream_si128(target + i + 3, d);
  }
  _mm_sfence();
  std::memcpy(to + lines * line, from + lines * line, static_cast<std::size_t>(bytes - lines * line));
}
#else
void copy_part(std::byte* to, const std::byte* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}
#endif

std::uint64_t read_part(const std::byte* table, std::int64_t row_bytes, std::span<const std::int32_t> idx) {
  const auto count = static_cast<std::int64_t>(idx.size());
  const std::int64_t ahead = std::max<std::int64_t>(4, ahead_bytes / std::max(row_bytes, line));
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t next = idx[static_cast<std::size_t>(std::min(i + ahead, count - 1))];
    each_line(table + next * row_bytes, row_bytes, [](const std::byte* p) { __builtin_prefetch(p, 0, 2); });
    const std::int64_t row = idx[static_cast<std::size_t>(i)];
    each_line(table + row * row_bytes, row_bytes, [&](const std::byte* p) { sum += word_at(p); });
  }
  return sum;
}

}  // namespace

void stream_copy(std::byte* to, const std::byte* from, std::int64_t bytes, int threads) {
  in_parts(bytes, line, threads,
           [=](std::int64_t first, std::int64_t end) { copy_part(to + first, from + first, end - first); });
}

std::uint64_t read_lines(const std::byte* table, std::int64_t row_bytes, std::span<const std::int32_t> idx,
                         int threads) {
  std::atomic<std::uint64_t> sum = 0;
  in_parts(static_cast<std::int64_t>(idx.size()), 1, threads, [&](std::int64_t first, std::int64_t end) {
    sum += read_part(table, row_bytes,
                     idx.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)));
  });
  return sum;
}

}  // namespace ptox::bench
