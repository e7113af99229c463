// SPDX-License-Identifier: Apache-2.0
// Hints: rows that a kernel requested by TPREFETCH and that are not prefetched yet.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pto::instr {

/// Rows of one size that the TPREFETCH hints of a block requested. If DRAM latency is high, they are kept for the next
/// gather, which prefetches them between its own rows, because prefetching them immediately would delay the next
/// instructions. Otherwise they are prefetched when they are requested. Rows that a gather does not prefetch are left
/// to the store that follows it. Scatters, stores, loads of more than indices, the end of the block, and a hint of a
/// different size prefetch all rows that are kept.
class Hints {
 public:
  static constexpr int most = 256;

  /// Starts a block; `waits`: hints are kept for a gather.
  void start(bool waits) { count_ = 0, asked_ = 0, waits_ = waits; }
  bool waits() const { return waits_; }
  /// Requests a row, which is kept or prefetched immediately; inline for the same reason as `fetch`.
  [[gnu::always_inline]] void ask(const void* row, std::int64_t bytes) {
    asked_ += bytes;
    waits_ ? keep(row, bytes) : fetch(row, bytes);
  }
  /// Keeps a row that a gather has not prefetched. Precondition: it has the size of the rows that are kept, if any.
  /// Rows beyond `most` are dropped.
  void add(const void* row, std::int64_t bytes) {
    bytes_ = bytes;
    if (count_ < most) rows_[count_++] = static_cast<const std::byte*>(row);
  }
  /// The number of bytes requested since the last call.
  std::int64_t take_asked() {
    const std::int64_t asked = asked_;
    asked_ = 0;
    return asked;
  }
  const std::byte* const* rows() const { return rows_; }
  int count() const { return count_; }
  std::int64_t row_bytes() const { return bytes_; }
  int count_of(std::int64_t bytes) const { return bytes == bytes_ ? count_ : 0; }
  /// Removes the first rows, which were prefetched; the others are kept.
  void drop(int first) {
    if (first == 0) return;
    count_ -= first;
    for (int i = 0; i < count_; ++i) rows_[i] = rows_[first + i];
  }
  /// Removes all rows.
  void clear() { count_ = 0; }
  /// Prefetches every cache line of the rows from number `first` on and removes all rows. A prefetch never faults.
  void fetch_from(int first) {
    for (int i = first; i < count_; ++i) fetch(rows_[i], bytes_);
    count_ = 0;
  }
  /// Always inline, because g++ 12 treats a function that only prefetches as having no effect.
  [[gnu::always_inline]] static void fetch(const void* row, std::int64_t bytes) {
    constexpr std::uintptr_t line = 64;
    const auto begin = reinterpret_cast<std::uintptr_t>(row);
    for (std::uintptr_t at = begin / line * line; at < begin + static_cast<std::uintptr_t>(bytes); at += line)
      __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 2);
  }

 private:
  void keep(const void* row, std::int64_t bytes) {
    if (count_ == most || bytes != bytes_) [[unlikely]]
      fetch_from(0);
    bytes_ = bytes;
    rows_[count_++] = static_cast<const std::byte*>(row);
  }

  int count_ = 0;
  bool waits_ = true;
  std::int64_t bytes_ = 0, asked_ = 0;
  const std::byte* rows_[most];
};

}  // namespace pto::instr
