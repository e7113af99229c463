// SPDX-License-Identifier: Apache-2.0
// Processes elements of a large table region by region, and decides when to do so.
#pragma once

#include <cstdint>

#include "host/slots.hpp"
#include "loops/kernels.hpp"

namespace ptox {

/// The regions of a table by which its elements are sorted, each of 2^shift slots.
struct Regions {
  int shift = 0, count = 0;  ///< count 0: do not sort
  bool dense = false;        ///< almost every cache line is accessed, so that regions are fetched as a whole
};

/// Calls with fewer elements are not sorted.
constexpr std::int64_t fewest_sorted = 1 << 20;
/// The number of elements that are sorted at once for a table of `table_bytes`: enough to access each cache line of the
/// table more than once. It is limited because an entry takes 8 bytes, or 4 in a gather: 1 GiB at most.
constexpr std::int64_t most_sorted(std::int64_t table_bytes) {
  constexpr std::int64_t least = 16 << 20, most = 128 << 20;
  return table_bytes / 16 < least ? least : table_bytes / 16 > most ? most : table_bytes / 16;
}

/// Chooses regions that fit into a cache if the `count` indices are many and far apart, otherwise returns count 0. If
/// almost every line of the table is accessed, the regions fit into L2 unless the table is very large; otherwise they
/// fit into the last-level cache, and are used only for a table on small pages.
Regions regions_of(const Move& all, std::int64_t count, const Sample&, bool gathers);

/// A move of elements that are contiguous in the table and in the data, on `parts` threads. The capacity is at most
/// 2^32. For a slot past it a gather writes zero and a scatter nothing. If `strict`, such a slot makes the call fail
/// before anything is written; then all elements must be sorted at once.
struct ByRegion {
  const Move& move;
  bool wide;
  Regions regions;
  std::int64_t at_once;  ///< at most this many elements are sorted at a time
  int parts;
  bool strict;
  bool mixed = false;  ///< valid slots and slots past the capacity are mixed
};

// Both return false if they wrote nothing, because memory was not available or because of a slot past the capacity.

/// Sorts the slots by region, gathers region by region while each one is cached, and writes the values to the data in
/// the original order of the slots.
bool gather_by_region(const ByRegion&);
/// Sorts slots and values by region and scatters region by region while each one is cached, in source order within a
/// region. `loop` is the scatter, or an update whose rows are single elements, for 32-bit slots; it is called with
/// Move::paired.
bool scatter_by_region(const ByRegion&, MoveLoop);

}  // namespace ptox
