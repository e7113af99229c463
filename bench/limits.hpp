// SPDX-License-Identifier: Apache-2.0
// Memory accesses without any other work, whose times are lower bounds for a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ptox::bench {

/// Copies the bytes in ascending order, on x86-64 with non-temporal stores. Both buffers start at a page boundary.
void stream_copy(std::byte* to, const std::byte* from, std::int64_t bytes, int threads = 1);

/// Reads every cache line of the rows that the indices name, prefetched well ahead. The caller has to use the sum, or
/// the compiler may remove the reads.
std::uint64_t read_lines(const std::byte* table, std::int64_t row_bytes, std::span<const std::int32_t> idx,
                         int threads = 1);

}  // namespace ptox::bench
