// SPDX-License-Identifier: Apache-2.0
// The sizes of this machine's caches and of the pages behind an address.
#pragma once

#include <cstdint>

namespace ptox {

/// Cache sizes in bytes (L1, L2, last level); a common size where the system reports none. The last-level cache is
/// counted as 32 MiB at most: a larger one is shared by many cores, and a virtual machine sees its full size although
/// other machines use it too.
struct Caches {
  std::int64_t first, second, last;
  /// L2 of 2 MiB or more: DRAM latency is assumed to be high, and L2 can have more misses outstanding. Measured on
  /// machines with 1 MiB, where a line from memory took 5 ns, and with 2 MiB, where it took 9 ns.
  bool large_second() const { return second >= 2 << 20; }
};
const Caches& caches();
/// For tests: from now on L2 is taken to have `bytes` bytes, or with 0 its real size. No move may be running.
void force_second_cache(std::int64_t bytes);

/// Whether most of the memory lies on small pages, so that random accesses miss the TLB; false where the system does
/// not report it.
bool on_small_pages(const void* begin, std::int64_t bytes);

}  // namespace ptox
