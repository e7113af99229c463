// SPDX-License-Identifier: Apache-2.0
// Pseudo-random numbers that are the same for the same seed on every machine.
#pragma once

#include <cstdint>

namespace ptox {

/// The SplitMix64 generator.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A number in [0, n), uniform up to the bias of the modulo; n > 0.
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace ptox
