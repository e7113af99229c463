// SPDX-License-Identifier: Apache-2.0
// Sorts entries by region: several lines for each region are collected and written together with non-temporal stores.
// Internal to the file of each level, like vectors.hpp.
#pragma once

#include "loops/kernels.hpp"
#include "loops/vectors.hpp"

namespace ptox {
namespace {

/// Moves the lines that were collected for a region from the stage to its block, with non-temporal stores.
PTOX_INLINE void leave(const Sorting& job, std::uint32_t region, const std::byte* lines) {
  std::byte* to = job.ends[region];
  if (reinterpret_cast<std::uintptr_t>(to) % Sorting::block == 0) to = job.open(job.owner, region);
  for (std::int64_t k = 0; k < Sorting::together; k += 64) stream_line(to + k, load_line(lines + k));
  job.ends[region] = to + Sorting::together;
}

/// Stores an entry: the slot, followed by its value if `value_bytes` is not 0.
template <int value_bytes>
PTOX_INLINE void put(std::byte* to, std::uint32_t slot, const std::byte* value) {
  if constexpr (value_bytes == 0) return store(to, slot);
  std::uint32_t bits = 0;
  __builtin_memcpy(&bits, value, value_bytes);
  store(to, std::uint64_t{slot} | std::uint64_t{bits} << 32);
}

template <class Index, int value_bytes, bool mixed>
void sort_some(const Sorting& all) {
  constexpr std::uint32_t entry = value_bytes == 0 ? 4 : 8, together = Sorting::together;
  const Sorting job = all;  // local copy: byte stores may alias `all`
  const auto* const slots = static_cast<const Index*>(job.slots);
  const auto one = [&](std::int64_t i) PTOX_INLINED {
    const auto [region, kept] = Sorting::place<mixed>(slots[i], i, job.shift, job.capacity, job.nowhere);
    const std::uint32_t at = job.fill[region], end = at + (entry & kept);
    put<value_bytes>(job.stage + at, static_cast<std::uint32_t>(slots[i]), job.values + i * value_bytes);
    job.fill[region] = end;
    if (end % together == 0) [[unlikely]] {
      job.fill[region] = end - together;
      leave(job, region, job.stage + end - together);
    }
  };
  constexpr std::int64_t some = 64 / sizeof(Index);
  std::int64_t i = 0;
  for (; i + some <= job.count; i += some) {
    // The hardware prefetcher is late beside the non-temporal stores.
    __builtin_prefetch(slots + i + 128 * some, 0, 2);
    if constexpr (value_bytes != 0) __builtin_prefetch(job.values + (i + 128 * some) * value_bytes, 0, 2);
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < some; ++k) one(i + k);
  }
  for (; i < job.count; ++i) one(i);
  stream_end();
}

template <class Index, int value_bytes>
void sort(const Sorting& all) {
  all.mixed ? sort_some<Index, value_bytes, true>(all) : sort_some<Index, value_bytes, false>(all);
}

template <class Index>
void set_sorts(SortLoop (&loops)[4]) {
  loops[0] = sort<Index, 0>, loops[1] = sort<Index, 1>, loops[2] = sort<Index, 2>, loops[3] = sort<Index, 4>;
}

}  // namespace
}  // namespace ptox
