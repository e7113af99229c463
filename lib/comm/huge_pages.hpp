// SPDX-License-Identifier: Apache-2.0
// Moves memory that ranks share to huge pages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptox::comm {

/// The first whole huge page at or after `at`, and the bytes of whole ones before `end`; 0: there is none.
struct HugeRange {
  std::byte* begin;
  std::int64_t bytes;
};
HugeRange whole_huge_pages(std::byte* begin, std::int64_t bytes);

/// Puts what of it is there onto huge pages, as far as the system can; the bytes stay, and pages that were never
/// touched stay away. Linux from 6.1 on does it for shared memory too, whatever its settings advise.
void move_to_huge_pages(HugeRange range) noexcept;

}  // namespace ptox::comm
