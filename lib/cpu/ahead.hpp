// SPDX-License-Identifier: Apache-2.0
// Prefetches rows before they are needed. Internal to the file of each level, like vectors.hpp.
#pragma once

#include "cpu/copies.hpp"
#include "cpu/host.hpp"
#include "cpu/kernels.hpp"

namespace ptox {
namespace {

PTOX_INLINE std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
PTOX_INLINE std::int64_t bounded(std::int64_t n, std::int64_t low, std::int64_t high) {
  return n < low ? low : n > high ? high : n;
}

/// How rows are fetched before their turn: some at a time into the second cache, of which more can be under way, and
/// well ahead of what is copied; and a few rows ahead into the nearest. Short rows go by fours, for a load that waits
/// holds up the fetches behind it; long ones, unless the second cache is large, by batches, of which one is copied
/// while the next is fetched.
struct Ahead {
  static constexpr std::int64_t most_rows = 160, most_near = 8;

  std::int64_t batch, rows, near, bytes;
  std::int64_t data;  ///< rows of data that are read in order, which the hardware fetches late beside so much else
  bool split;         ///< a row may begin inside a line and end in one more

  static constexpr std::int64_t read_bytes = 16384;  ///< of a batch of rows that are read
  static constexpr std::int64_t write_bytes = 8192;  ///< of one that is written to

  /// `known`: the bytes of a row where the loop is compiled for them, else 0.
  PTOX_INLINE explicit Ahead(const Move& m, std::int64_t known = 0, std::int64_t most_short = line,
                             std::int64_t batch_bytes = read_bytes)
      : Ahead(m, known != 0 ? known : m.row_bytes, most_short, batch_bytes, caches().large_second()) {}

 private:
  static constexpr std::int64_t fours_bytes = 98304, near_bytes = 4096, data_bytes = 8192;
  static constexpr std::int64_t most = 4096;  ///< of a long row; the rest is fetched by the hardware

  PTOX_INLINE Ahead(const Move& m, std::int64_t row_bytes, std::int64_t most_short, std::int64_t batch_bytes,
                    bool large) {
    const bool fours = row_bytes <= most_short || large;
    // What another move fetched lies in the second cache, and where that is large a loop waits no longer for it than
    // for more fetches.
    const bool once = large && (m.following || m.asked_count > 0);
    batch = once ? 1 : fours ? 4 : bounded(batch_bytes / row_bytes, 2, 64);
    rows = fours ? bounded(fours_bytes / row_bytes, 4, most_rows) : batch;
    if (m.following) rows = least(rows, m.count);  // no farther than to the row of the same number in what follows
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

/// Into the nearest cache, or into the one behind it.
enum class Cache { nearest, second };

// Spelled out, for g++ 12 takes a function that only fetches for one that does nothing.
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

/// Every line of a row that may begin anywhere.
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

/// Fetches those of rows [begin, end) that come after the move's.
template <std::int64_t known>
PTOX_INLINE void fetch_following(const Move& m, const Ahead& ahead, std::int64_t begin, std::int64_t end) {
  if (!m.following || end <= m.count) return;
  for (std::int64_t i = begin < m.count ? m.count : begin; i < least(end, m.count + m.following_count); ++i)
    fetch<Cache::second, known>(table_row(m, m.following[i - m.count]), ahead);
}

/// Elements are too many for batches: each one is fetched a fixed number of elements before its turn.
constexpr std::int64_t element_ahead = 96;

/// Fetches an element of so many bytes; of a width that is not known it may end in another line than it begins in.
template <std::int64_t known>
PTOX_INLINE void fetch_element(const std::byte* at, std::int64_t size) {
  __builtin_prefetch(at, 0, 2);
  if constexpr (known == 0) __builtin_prefetch(at + size - 1, 0, 2);
}

/// The lines of Move::meanwhile, each once.
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

/// Rows side by side, in the table and in the data.
inline bool packed(const Move& m) { return m.stride == m.row_bytes && m.data_stride == m.row_bytes; }

/// Whether rows of data begin with a line and are whole lines.
inline bool whole_lines(const std::byte* data, std::int64_t stride, std::int64_t row_bytes) {
  return (static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) | stride | row_bytes) % line == 0;
}

}  // namespace
}  // namespace ptox
