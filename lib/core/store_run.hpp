// SPDX-License-Identifier: Apache-2.0
// Does a block write more, byte after byte, than the caches keep?
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
  /// Whether something went past the caches since the last call.
  bool take_unfenced() {
    const bool was = unfenced_;
    unfenced_ = false;
    return was;
  }

  StoreRun() = default;

 private:
  explicit StoreRun(std::int64_t most) : most_(most) {}

  std::int64_t most_ = 0, run_ = 0;
  const std::byte* end_ = nullptr;
  bool unfenced_ = false;
};

/// The last cache that cores share, in bytes.
std::int64_t shared_cache_bytes();

}  // namespace ptox
