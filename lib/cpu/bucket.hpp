// SPDX-License-Identifier: Apache-2.0
// When and how are elements of a large table taken region by region?
#pragma once

#include <cstdint>

#include "cpu/kernels.hpp"
#include "cpu/slots.hpp"

namespace ptox {

/// Regions of a table that its elements are sorted into, each of 2^shift slots.
struct Regions {
  int shift = 0, count = 0;  ///< 0: the table is better taken as it comes
};

/// Fewer elements than these are taken as they come.
constexpr std::int64_t fewest_sorted = 1 << 20;

/// Regions that half the last cache holds, an eighth where pages are small, if the indices, `count` of them for each
/// thread, are many and far apart.
Regions regions_of(const Move& all, std::int64_t count, const Sample&, bool gathers);

/// Gathers packed elements whose slots are 32 bits and valid: slots are put into one bucket a region, each bucket is
/// gathered while its region is in the cache, and the values go back in the order of the slots. False: it did nothing,
/// for want of memory.
bool gather_by_region(const Move&, Regions);

/// Scatters packed elements whose slots are 32 bits and valid to the regions from `first` to before `end`, one by one,
/// in each in order.
bool scatter_by_region(const Move&, Regions, int first, int end, MoveLoop);

}  // namespace ptox
