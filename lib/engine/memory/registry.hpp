// SPDX-License-Identifier: Apache-2.0
// Finds the allocation that contains an address.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptox {

/// Unused bytes after each allocation of gm_alloc. A tensor whose base lies there is out of bounds of the allocation,
/// instead of being treated as unknown memory.
inline constexpr std::size_t red_zone_bytes = 512;

struct Extent {
  std::uintptr_t begin;
  std::size_t bytes;
  bool adopted;

  /// A tensor is attributed to this extent if its base lies less than this many bytes after `begin`.
  std::size_t reach() const { return std::max<std::size_t>(bytes + (adopted ? 0 : red_zone_bytes), 1); }
};

/// All known allocations of the process. Safe to call from any thread. Accesses to other memory are not checked.
class Registry {
 public:
  static Registry& instance();
  void add(const void* begin, std::size_t bytes, bool adopted);
  /// Removes the extent that begins at this address and returns it, if any.
  std::optional<Extent> remove(const void* begin);
  /// The extent to which this address is attributed (see Extent::reach), if any.
  std::optional<Extent> find(const void* address) const;
  /// All extents, sorted by address.
  std::vector<Extent> all() const;
};

}  // namespace ptox
