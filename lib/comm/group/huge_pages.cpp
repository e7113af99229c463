// SPDX-License-Identifier: Apache-2.0
#include "comm/group/huge_pages.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace ptox::comm {

namespace {

constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
#ifndef MADV_COLLAPSE
constexpr int MADV_COLLAPSE = 25;  // since Linux 6.1; older headers lack it
#endif

}  // namespace

HugeRange whole_huge_pages(std::byte* begin, std::int64_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin), end = from + static_cast<std::uintptr_t>(bytes);
  const std::uintptr_t first = (from + huge_page - 1) / huge_page * huge_page, last = end / huge_page * huge_page;
  return {begin + (first - from), first < last ? static_cast<std::int64_t>(last - first) : 0};
}

void move_to_huge_pages(HugeRange range) noexcept {
  if (range.bytes > 0) madvise(range.begin, static_cast<std::size_t>(range.bytes), MADV_COLLAPSE);
}

}  // namespace ptox::comm
