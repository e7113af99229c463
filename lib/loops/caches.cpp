// SPDX-License-Identifier: Apache-2.0
#include "loops/caches.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace ptox {

namespace {

/// The size in bytes of a cache of processor 0 as the kernel reports it, or `otherwise` if it does not. The C library
/// reports too large a last-level cache on some processors.
std::int64_t cache_size(int level, std::int64_t otherwise) {
  const std::string base = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int i = 0; i < 8; ++i) {
    std::int64_t its_level = 0, size = 0;
    std::string type;
    char unit = 0;
    const std::string folder = base + std::to_string(i);
    std::ifstream(folder + "/level") >> its_level, std::ifstream(folder + "/type") >> type;
    std::ifstream(folder + "/size") >> size >> unit;
    if (its_level == level && type != "Instruction" && size > 0)
      return size << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
  }
  return otherwise;
}

// The arguments of the ioctl PAGEMAP_SCAN (Linux 6.7), which the headers of older systems lack.
struct ScannedRegion {
  std::uint64_t begin, end, categories;
};
struct PageScan {
  std::uint64_t size, flags, begin, end, walk_end, regions, region_count, most_pages, inverted, mask, any_of, wanted;
};
constexpr std::uint64_t present = 1 << 3, huge = 1 << 6;

/// The page of an address: 1 huge, 0 small, -1 not present or not known.
int kind_of_page(int pagemap, std::uintptr_t address) {
  constexpr std::uintptr_t page = 4096;
  ScannedRegion region{};
  PageScan scan{};
  scan.size = sizeof scan;
  scan.begin = address / page * page, scan.end = scan.begin + page;
  scan.regions = reinterpret_cast<std::uintptr_t>(&region), scan.region_count = 1;
  scan.any_of = present, scan.wanted = present | huge;
  if (ioctl(pagemap, _IOWR('f', 16, PageScan), &scan) != 1) return -1;
  return (region.categories & huge) != 0 ? 1 : 0;
}

Caches caches_of_machine() {
  constexpr std::int64_t share = std::int64_t{32} << 20;
  const std::int64_t first = cache_size(1, std::int64_t{32} << 10), second = cache_size(2, std::int64_t{1} << 20);
  return {first, second, std::max(second, std::min(cache_size(3, share), share))};
}
Caches& counted() {
  static Caches sizes = caches_of_machine();
  return sizes;
}

}  // namespace

const Caches& caches() { return counted(); }
void force_second_cache(std::int64_t bytes) { counted().second = bytes > 0 ? bytes : caches_of_machine().second; }

bool on_small_pages(const void* begin, std::int64_t bytes) {
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return false;
  constexpr int samples = 8;
  int small = 0, said = 0;
  for (int i = 0; i < samples; ++i) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin) +
                    static_cast<std::uintptr_t>(bytes / samples * i + bytes / samples / 2);
    const int kind = kind_of_page(pagemap, at);
    small += kind == 0, said += kind >= 0;
  }
  close(pagemap);
  return 2 * small > said;
}

}  // namespace ptox
