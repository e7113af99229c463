// SPDX-License-Identifier: Apache-2.0
// Measures the limits of the memory of this machine, without the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ptox::bench {

/// A sequential copy that leaves the caches alone; both ends at the start of a page.
void stream_copy(std::byte* to, const std::byte* from, std::int64_t bytes, int threads = 1);

/// Reads every cache line of the rows that the indices name, prefetched well ahead; the sum is there to be used.
std::uint64_t read_lines(const std::byte* table, std::int64_t row_bytes, std::span<const std::int32_t> idx,
                         int threads = 1);

}  // namespace ptox::bench
