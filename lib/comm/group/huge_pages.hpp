// SPDX-License-Identifier: Apache-2.0
// Moves memory that ranks share to huge pages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptox::comm {

/// The huge pages of 2 MiB that lie completely inside a range of memory; `bytes` is 0 if there is none.
struct HugeRange {
  std::byte* begin;
  std::int64_t bytes;
};
HugeRange whole_huge_pages(std::byte* begin, std::int64_t bytes);

/// Moves the resident pages of the range to huge pages as far as the system can. Their contents are kept, and pages
/// that were never touched stay uncommitted. Linux 6.1 and later does this for shared memory too, whatever its settings
/// for huge pages are.
void move_to_huge_pages(HugeRange range) noexcept;

}  // namespace ptox::comm
