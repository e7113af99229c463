// SPDX-License-Identifier: Apache-2.0
// How are entries sorted by region? Some lines of each region's are collected and leave past the caches together.
// Internal to the file of each level, as vectors.hpp is.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/vectors.hpp"

namespace ptox {
namespace {

/// Values of so many bytes go with the slots, or none.
template <class Index, int value_bytes>
void sort(const Sorting& job) {
  constexpr std::uint32_t entry = value_bytes == 0 ? 4 : 8, together = Sorting::together;
  const auto* const slots = static_cast<const Index*>(job.slots);
  const std::byte* const values = job.values;
  std::byte* const stage = job.stage;
  std::uint32_t* const fill = job.fill;
  std::byte** const ends = job.ends;
  const int shift = job.shift;
  const std::uint64_t capacity = job.capacity;
  const std::uint32_t nowhere = job.nowhere;
  for (std::int64_t i = 0, count = job.count; i < count; ++i) {
    const auto slot = static_cast<std::uint32_t>(slots[i]);
    const std::uint32_t region = slots[i] < capacity ? slot >> shift : nowhere, at = fill[region] + entry;
    if constexpr (value_bytes == 0) {
      store(stage + at - entry, slot);
    } else {
      std::uint32_t value = 0;
      __builtin_memcpy(&value, values + i * value_bytes, value_bytes);
      store(stage + at - entry, std::uint64_t{slot} | std::uint64_t{value} << 32);
    }
    fill[region] = at;
    if (at % together != 0) [[likely]]
      continue;
    fill[region] = at - together;
    std::byte* to = ends[region];
    if (reinterpret_cast<std::uintptr_t>(to) % Sorting::block == 0) to = job.open(job.owner, region);
    for (std::uint32_t k = 0; k < together; k += 64) stream_line(to + k, load_line(stage + at - together + k));
    ends[region] = to + together;
  }
  stream_end();
}

template <class Index>
void set_sorts(SortLoop (&loops)[4]) {
  loops[0] = sort<Index, 0>, loops[1] = sort<Index, 1>, loops[2] = sort<Index, 2>, loops[3] = sort<Index, 4>;
}

}  // namespace
}  // namespace ptox
