// SPDX-License-Identifier: Apache-2.0
// Prefetches rows before they are needed. Internal to the file of each level, like vectors.hpp.
#pragma once

#include "loops/caches.hpp"
#include "loops/copies.hpp"
#include "loops/kernels.hpp"

namespace ptox {
namespace {

PTOX_INLINE std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
PTOX_INLINE std::int64_t bounded(std::int64_t n, std::int64_t low, std::int64_t high) {
  return n < low ? low : n > high ? high : n;
}

/// Prefetch distances of a loop over rows. Each row is prefetched twice: well ahead into L2, which can have more misses
/// outstanding than L1, and a few rows ahead into L1. Short rows are processed four at a time, because a load that
/// misses delays the prefetches behind it. Long rows are processed in batches, one batch being prefetched while the one
/// before it is copied; where L2 is large (`Caches::large_second`) they are processed four at a time as well.
struct Ahead {
  static constexpr std::int64_t most_rows = 160, most_near = 8;

  /// Rows that are processed between prefetches into L2; distances in rows of the prefetches into L2 and into L1; bytes
  /// of each row that are prefetched.
  std::int64_t batch, rows, near, bytes;
  std::int64_t data;  ///< distance in rows for data that is read in order, where the hardware prefetcher is late
  bool split;         ///< rows may be unaligned, and then extend into one more cache line

  static constexpr std::int64_t read_bytes = 16384;  ///< of a batch of long rows that are read
  static constexpr std::int64_t write_bytes = 8192;  ///< of a batch of long rows that are written

  /// `known`: the row size in bytes if it is a compile-time constant of the loop, else 0. Rows of at most `most_short`
  /// bytes are short.
  PTOX_INLINE explicit Ahead(const Move& m, std::int64_t known = 0, std::int64_t most_short = line,
                             std::int64_t batch_bytes = read_bytes)
      : Ahead(m, known != 0 ? known : m.row_bytes, most_short, batch_bytes, caches().large_second()) {}

 private:
  static constexpr std::int64_t fours_bytes = 98304, near_bytes = 4096, data_bytes = 8192;
  static constexpr std::int64_t most = 4096;  ///< bytes of a row; the hardware prefetcher fetches the rest

  PTOX_INLINE Ahead(const Move& m, std::int64_t row_bytes, std::int64_t most_short, std::int64_t batch_bytes,
                    bool large) {
    const bool fours = row_bytes <= most_short || large;
    // The rows were prefetched into L2 by an earlier move. Where L2 is large, loading them from there takes no longer
    // than issuing further prefetches.
    const bool once = large && (m.following || m.asked_count > 0);
    batch = once ? 1 : fours ? 4 : bounded(batch_bytes / row_bytes, 2, 64);
    rows = fours ? bounded(fours_bytes / row_bytes, 4, most_rows) : batch;
    if (m.following) rows = least(rows, m.count);  // at most to the row of the same number in `following`
    near = once ? m.count : bounded(near_bytes / row_bytes, 1, most_near);
    bytes = bounded(row_bytes, 1, most);
    data = bounded(data_bytes / row_bytes, 1, 128);
    split = !whole(m, row_bytes);
  }
  static PTOX_INLINE bool whole(const Move& m, std::int64_t row_bytes) {
    const std::int64_t unit = row_bytes < line ? row_bytes : line;
    const auto table = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(m.table));
    return (unit & (unit - 1)) == 0 && ((table | m.stride) & (unit - 1)) == 0;
  }
};

/// The cache into which a prefetch loads: L1 (`nearest`) or L2 (`second`).
enum class Cache { nearest, second };

/// Prefetches a row; `known` is its size if that is a compile-time constant, else 0. The prefetches are written out
/// here, because g++ 12 treats a function that only prefetches as having no effect and drops its calls.
template <Cache cache, std::int64_t known>
PTOX_INLINE void fetch(const std::byte* row, const Ahead& ahead) {
  constexpr int how = cache == Cache::nearest ? 3 : 2;
  const std::int64_t bytes = known != 0 ? known : ahead.bytes;
  std::int64_t i = 0;
  for (; i + 4 * line <= bytes; i += 4 * line) {
    __builtin_prefetch(row + i, 0, how), __builtin_prefetch(row + i + line, 0, how);
    __builtin_prefetch(row + i + 2 * line, 0, how), __builtin_prefetch(row + i + 3 * line, 0, how);
  }
  for (; i < bytes - ahead.split; i += line) __builtin_prefetch(row + i, 0, how);
  if (ahead.split) __builtin_prefetch(row + ahead.bytes - 1, 0, how);
}

/// Prefetches every cache line of a row of any alignment.
template <std::int64_t known, Cache cache = Cache::second>
PTOX_INLINE void fetch_lines(const std::byte* row, std::int64_t row_bytes) {
  const std::byte* const end = row + (known != 0 ? known : row_bytes);
  const std::byte* at = row - reinterpret_cast<std::uintptr_t>(row) % line;
  for (; at < end; at += line) __builtin_prefetch(at, 0, cache == Cache::nearest ? 3 : 2);
}

template <class Slot>
PTOX_INLINE std::byte* table_row(const Move& m, Slot slot) {
  return m.table + static_cast<std::int64_t>(slot) * m.stride;
}

/// Prefetches the rows of `Move::following` whose numbers are in [begin, end); they are numbered from m.count on.
template <std::int64_t known>
PTOX_INLINE void fetch_following(const Move& m, const Ahead& ahead, std::int64_t begin, std::int64_t end) {
  if (!m.following || end <= m.count) return;
  for (std::int64_t i = begin < m.count ? m.count : begin; i < least(end, m.count + m.following_count); ++i)
    fetch<Cache::second, known>(table_row(m, m.following[i - m.count]), ahead);
}

/// Prefetch distance of single elements, which are not processed in batches.
constexpr std::int64_t element_ahead = 96;

/// Prefetches an element of `size` bytes. One whose size is not a compile-time constant (`known` == 0) may cross a
/// cache line.
template <std::int64_t known>
PTOX_INLINE void fetch_element(const std::byte* at, std::int64_t size) {
  __builtin_prefetch(at, 0, 2);
  if constexpr (known == 0) __builtin_prefetch(at + size - 1, 0, 2);
}

/// Prefetches the cache lines of Move::meanwhile, each once, `elements` elements of a loop at a time.
class Meanwhile {
 public:
  static constexpr std::int64_t elements = Move::meanwhile_elements;

  PTOX_INLINE explicit Meanwhile(const Move& m) : at_(m.meanwhile), end_(at_), step_(m.meanwhile_step) {}
  PTOX_INLINE void fetch() {
    for (end_ += step_; at_ < end_; at_ += line) __builtin_prefetch(at_, 0, 2);
  }

 private:
  const std::byte *at_, *end_;
  std::int64_t step_;
};

/// Whether rows are contiguous, both in the table and in the data.
inline bool packed(const Move& m) { return m.stride == m.row_bytes && m.data_stride == m.row_bytes; }

/// Whether every row starts at a cache line and consists of whole lines.
inline bool whole_lines(const std::byte* data, std::int64_t stride, std::int64_t row_bytes) {
  return (static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) | stride | row_bytes) % line == 0;
}

}  // namespace
}  // namespace ptox
