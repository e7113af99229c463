// SPDX-License-Identifier: Apache-2.0
// Processes elements of a large table region by region, and decides when to do so.
#pragma once

#include <cstdint>

#include "cpu/kernels.hpp"
#include "cpu/slots.hpp"

namespace ptox {

/// Regions of a table that its elements are sorted into, each of 2^shift slots.
struct Regions {
  int shift = 0, count = 0;  ///< 0: the table is better taken as it comes
  bool dense = false;        ///< almost every line is wanted, and a region is fetched as a whole
};

/// Fewer elements than these are taken as they come.
constexpr std::int64_t fewest_sorted = 1 << 20;
/// How many elements are sorted at once, of a table of so many bytes: so many that a line of it is wanted more than
/// once, and no more, for each takes 8 bytes, or 4 to be gathered: a GiB at most.
constexpr std::int64_t most_sorted(std::int64_t table_bytes) {
  constexpr std::int64_t least = 16 << 20, most = 128 << 20;
  return table_bytes / 16 < least ? least : table_bytes / 16 > most ? most : table_bytes / 16;
}

/// Regions that a cache holds, if the indices, `count` of them, are many and far apart: the second one, where they want
/// almost every line and the table is not very large; else the last one, where pages are small.
Regions regions_of(const Move& all, std::int64_t count, const Sample&, bool gathers);

/// Elements side by side, in the table and in the data, to be moved on so many threads. Of slots past the capacity,
/// 2^32 at most, a gather makes zeros and a scatter nothing, or, `strict`, nothing is done at all: for calls that are
/// sorted at once.
struct ByRegion {
  const Move& move;
  bool wide;
  Regions regions;
  std::int64_t at_once;  ///< so many are sorted at a time, at most
  int parts;
  bool strict;
  bool mixed = false;  ///< many slots are past the capacity, and many are not
};

// False: nothing was written, for want of memory or a slot past the capacity.

/// Slots are sorted by region, each region's are gathered while it is in the cache, and the values go back in the order
/// of the slots.
bool gather_by_region(const ByRegion&);
/// Slots and values are sorted by region, and scattered while it is in the cache, in each region in order, by the loop
/// for short slots, which is given pairs: an update whose rows are single elements, or none.
bool scatter_by_region(const ByRegion&, MoveLoop);

}  // namespace ptox
