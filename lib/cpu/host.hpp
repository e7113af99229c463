// SPDX-License-Identifier: Apache-2.0
// The sizes of this machine's caches and of the pages behind an address.
#pragma once

#include <cstdint>

namespace ptox {

/// In bytes; what the system does not say is a common size. The last cache counts for 32 MiB at most: a larger one has
/// many cores that share it, and a virtual machine hears of all of it, whoever else uses it.
struct Caches {
  std::int64_t first, second, last;
  /// Where it holds 2 MiB, lines of memory come slowly, and more of them can wait in it: measured on machines with 1
  /// MiB, of which a line took 5 ns, and with 2, of which it took 9.
  bool large_second() const { return second >= 2 << 20; }
};
const Caches& caches();
/// For tests, while nothing is moved: from now on the second cache counts for so many bytes, or, 0, for what it has.
void force_second_cache(std::int64_t bytes);

/// Whether memory lies on pages so small that random accesses miss the page tables' cache; false where the system does
/// not say.
bool on_small_pages(const void* begin, std::int64_t bytes);

}  // namespace ptox
