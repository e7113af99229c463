// SPDX-License-Identifier: Apache-2.0
// Does a block write more, byte after byte, than the caches keep? Does it read on where it stopped, and what will the
// next indices be?
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptox {

/// The bytes that a block has stored one after another. A store that does not begin where the last one ended begins
/// anew.
class StoreRun {
 public:
  /// A block begins; more than `cache_bytes` in one run is more than the caches keep. 0: nothing ever is.
  void start(std::int64_t cache_bytes) { *this = StoreRun(cache_bytes); }

  /// Takes the next store. Whether it should go past the caches: most of its run has left them, or will.
  bool streams(const std::byte* to, std::int64_t bytes) {
    run_ = to == end_ ? run_ + bytes : bytes;
    end_ = to + bytes;
    const bool past = most_ > 0 && run_ > most_;
    unfenced_ |= past;
    return past;
  }
  /// Takes rows that are stored here and there. Whether they should go past the caches: as many have left them.
  bool scatters(std::int64_t bytes) {
    scattered_ += bytes;
    const bool past = most_ > 0 && scattered_ > most_;
    unfenced_ |= past;
    return past;
  }
  /// Takes a store of which it is known how much there will be in all.
  bool streams_all(std::int64_t bytes_in_all) {
    const bool past = most_ > 0 && bytes_in_all > most_;
    unfenced_ |= past;
    return past;
  }
  /// Whether a store that goes on where the last one ended will go past the caches.
  bool streaming() const { return most_ > 0 && run_ > most_; }
  /// Whether something went past the caches since the last call.
  bool take_unfenced() {
    const bool was = unfenced_;
    unfenced_ = false;
    return was;
  }

  StoreRun() = default;

 private:
  explicit StoreRun(std::int64_t most) : most_(most) {}

  std::int64_t most_ = 0, run_ = 0, scattered_ = 0;
  const std::byte* end_ = nullptr;
  bool unfenced_ = false;
};

/// Where a block loads from, large tile by large tile.
class LoadRun {
 public:
  static constexpr std::int64_t least = 2048;  ///< bytes; index tiles come in between

  void start() { *this = {}; }
  void take(const std::byte* from, std::int64_t bytes) {
    if (bytes < least) return;
    goes_on_ = from == end_;
    end_ = from + bytes, bytes_ = bytes;
  }
  /// Where the next load will begin if it goes on as the last ones did and is of that many bytes; null: who knows.
  const std::byte* next(std::int64_t bytes) const { return goes_on_ && bytes == bytes_ ? end_ : nullptr; }

 private:
  const std::byte* end_ = nullptr;
  std::int64_t bytes_ = 0;
  bool goes_on_ = false;
};

/// The indices that a block takes tile after tile into one place, and a guess at those that it will take next.
class IndexRun {
 public:
  void start() { goes_on_ = false, tile_ = end_ = asked_ = fetched_ = nullptr; }
  /// A tile takes its indices from there, now: what lies behind them in the same page can be read too.
  void take(const std::byte* tile, const std::byte* from, std::int64_t bytes) {
    const bool reads_on = from == end_ && bytes == bytes_;
    goes_on_ = tile == tile_ && reads_on;
    fetched_ = goes_on_ ? asked_ : nullptr;
    asked_ = nullptr, tile_ = tile, end_ = from + bytes, bytes_ = bytes;
    goes_on_ = goes_on_ && bytes <= LoadRun::least && in_one_page(from, 2 * bytes);
    if (reads_on) fetch(end_ + bytes, bytes);
    if (goes_on_) peek(end_, bytes);
  }
  /// Whether what that tile's indices name in that table was fetched before they were loaded.
  bool fetched(const std::byte* tile, const std::byte* table) const { return fetched_ == table && tile == tile_; }
  /// As many that are likely to come after that tile's, and will be fetched from that table; null: who knows.
  const std::uint32_t* next(const std::byte* tile, const std::byte* table, std::int64_t bytes) {
    if (!goes_on_ || tile != tile_ || bytes != bytes_) return nullptr;
    asked_ = table;
    return next_;
  }

 private:
  static bool in_one_page(const std::byte* from, std::int64_t bytes) {
    constexpr std::uintptr_t page = 4096;
    const auto first = reinterpret_cast<std::uintptr_t>(from), last = first + static_cast<std::uintptr_t>(bytes) - 1;
    return first / page == last / page;
  }
  /// What the tile after the next one takes, which the hardware does not fetch by itself beside all the rows.
  [[gnu::always_inline]] static void fetch(const std::byte* from, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i);
  }
  /// Reads what may be nobody's, or be written at this time: it is only a guess.
  __attribute__((no_sanitize("address", "thread"))) void peek(const std::byte* from, std::int64_t bytes) {
    using Word [[gnu::aligned(1), gnu::may_alias]] = std::uint32_t;
    using Four [[gnu::vector_size(16), gnu::aligned(1), gnu::may_alias]] = std::uint32_t;
    const auto* const end = from + bytes;
    std::uint32_t* to = next_;
    for (; end - from >= 16; from += 16, to += 4) {
      *reinterpret_cast<Four*>(to) = *reinterpret_cast<const Four*>(from);
      asm("" : "+r"(from));  // never by memcpy, which a sanitizer would watch
    }
    for (; from < end; from += 4) {
      *to++ = *reinterpret_cast<const Word*>(from);
      asm("" : "+r"(from));
    }
  }

  const std::byte *tile_ = nullptr, *end_ = nullptr;
  const std::byte *asked_ = nullptr, *fetched_ = nullptr;  ///< the tables
  std::int64_t bytes_ = 0;
  bool goes_on_ = false;
  std::uint32_t next_[LoadRun::least / 4];
};

}  // namespace ptox
