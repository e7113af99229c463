// SPDX-License-Identifier: Apache-2.0
// The stores of a block in a row, which leave the caches once they are longer than those, and its loads in a row.
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
  static constexpr std::int64_t least = 2048;  ///< bytes; shorter loads, as of index tiles, come in between

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

}  // namespace ptox
