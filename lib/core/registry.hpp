// SPDX-License-Identifier: Apache-2.0
// Finds the allocation that contains an address.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptox {

/// Bytes after each allocation of ours that belong to nobody: a base there is one past the end, not unknown.
inline constexpr std::size_t red_zone_bytes = 512;

struct Extent {
  std::uintptr_t begin;
  std::size_t bytes;
  bool adopted;

  /// How far on from its begin a tensor may begin that belongs to it.
  std::size_t reach() const { return std::max<std::size_t>(bytes + (adopted ? 0 : red_zone_bytes), 1); }
};

/// Process-wide and safe to call from any thread. Memory it does not know is not judged.
class Registry {
 public:
  static Registry& instance();
  void add(const void* begin, std::size_t bytes, bool adopted);
  /// Takes an extent out again and returns it.
  std::optional<Extent> remove(const void* begin);
  /// The extent that holds this address, if any.
  std::optional<Extent> find(const void* address) const;
  /// Every extent, in order of addresses.
  std::vector<Extent> all() const;
};

}  // namespace ptox
