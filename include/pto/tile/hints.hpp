// SPDX-License-Identifier: Apache-2.0
// Which rows did a kernel ask for that nobody has fetched yet?
#pragma once

#include <cstddef>
#include <cstdint>

namespace pto::instr {

/// Rows of one size that hints of a block asked for. Where lines come slowly they wait for the next gather, which
/// fetches them between its own rows: fetched at once they would hold up what comes next. Elsewhere they are fetched
/// when they are asked for. What a gather leaves of the rows after its own waits for the store behind it. Scatters,
/// stores, loads of more than indices, the block's end and a hint of another size than those that wait fetch all.
class Hints {
 public:
  static constexpr int most = 256;

  /// A block begins; its hints wait for a gather, or do not.
  void start(bool waits) { count_ = 0, asked_ = 0, waits_ = waits; }
  bool waits() const { return waits_; }
  /// A hint names a row, which waits or is fetched at once; inline as `fetch` is.
  [[gnu::always_inline]] void ask(const void* row, std::int64_t bytes) {
    asked_ += bytes;
    waits_ ? keep(row, bytes) : fetch(row, bytes);
  }
  /// A gather leaves a row, of the size of those that wait, if any do; past `most` it is forgotten.
  void add(const void* row, std::int64_t bytes) {
    bytes_ = bytes;
    if (count_ < most) rows_[count_++] = static_cast<const std::byte*>(row);
  }
  /// So many bytes were asked for since the last call.
  std::int64_t take_asked() {
    const std::int64_t asked = asked_;
    asked_ = 0;
    return asked;
  }
  const std::byte* const* rows() const { return rows_; }
  int count() const { return count_; }
  std::int64_t row_bytes() const { return bytes_; }
  int count_of(std::int64_t bytes) const { return bytes == bytes_ ? count_ : 0; }
  /// The first rows, so many, were fetched; the others wait on.
  void drop(int first) {
    if (first == 0) return;
    count_ -= first;
    for (int i = 0; i < count_; ++i) rows_[i] = rows_[first + i];
  }
  /// All were fetched.
  void clear() { count_ = 0; }
  /// Asks for every line of the rows from number `first` on, which never faults; none is left.
  void fetch_from(int first) {
    for (int i = first; i < count_; ++i) fetch(rows_[i], bytes_);
    count_ = 0;
  }
  /// Always inline, for g++ 12 takes a function that only fetches for one that does nothing.
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
