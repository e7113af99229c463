// SPDX-License-Identifier: Apache-2.0
// Decides which stores of a block are non-temporal, and predicts its next load.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptox {

/// Counts the bytes that a block has stored contiguously: a store that does not begin where the last one ended starts a
/// new run. `streams`, `scatters` and `streams_all` return whether the store should be non-temporal, and remember that
/// a fence is then needed.
class StoreRun {
 public:
  /// Starts a block. Stores become non-temporal when a run is longer than `cache_bytes`, its share of the cache; 0:
  /// never.
  void start(std::int64_t cache_bytes) { *this = StoreRun(cache_bytes); }

  /// Records the next store. Returns true if its run exceeds the share of the cache, so that most of it would be
  /// evicted.
  bool streams(const std::byte* to, std::int64_t bytes) {
    run_ = to == end_ ? run_ + bytes : bytes;
    end_ = to + bytes;
    const bool past = most_ > 0 && run_ > most_;
    unfenced_ |= past;
    return past;
  }
  /// Records rows that are stored at scattered addresses. Returns true if all such rows of the block exceed the share
  /// of the cache.
  bool scatters(std::int64_t bytes) {
    scattered_ += bytes;
    const bool past = most_ > 0 && scattered_ > most_;
    unfenced_ |= past;
    return past;
  }
  /// Records a store whose total size is known in advance. Returns true if it exceeds the share of the cache.
  bool streams_all(std::int64_t bytes_in_all) {
    const bool past = most_ > 0 && bytes_in_all > most_;
    unfenced_ |= past;
    return past;
  }
  /// Whether a store that continues where the last one ended will be non-temporal.
  bool streaming() const { return most_ > 0 && run_ > most_; }
  /// Whether there were non-temporal stores since the last call, so that a fence is needed.
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

/// Predicts where the next large tile is loaded from, assuming contiguous loads of equal size.
class LoadRun {
 public:
  static constexpr std::int64_t least = 2048;  ///< bytes; shorter loads, such as index tiles, are ignored

  void start() { *this = {}; }
  void take(const std::byte* from, std::int64_t bytes) {
    if (bytes < least) return;
    goes_on_ = from == end_;
    end_ = from + bytes, bytes_ = bytes;
  }
  /// The address of the next load if it continues the last ones and has that many bytes; nullptr when unpredictable.
  const std::byte* next(std::int64_t bytes) const { return goes_on_ && bytes == bytes_ ? end_ : nullptr; }

 private:
  const std::byte* end_ = nullptr;
  std::int64_t bytes_ = 0;
  bool goes_on_ = false;
};

}  // namespace ptox
