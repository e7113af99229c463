// SPDX-License-Identifier: Apache-2.0
// Selects the kernel for given rows and its number of blocks.
#pragma once

#include "cuda/units.cuh"

namespace ptox::cuda {

inline constexpr std::int64_t part_units = 512;  ///< units of a long row that one warp processes

template <int Log, class Act>
__global__ void __launch_bounds__(block_threads) short_rows(Move m, Divider by) {
  const std::int64_t w = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  if (m.skip && *m.skip != 0) return;
  if (w * warp < m.count) each_short<Log>(m, by, w * warp, Act(m));
}

/// For gathered rows of 2, 16 or 32 units: it is slower if a warp processes more rows.
template <int Log, int depth, class Act>
__global__ void __launch_bounds__(block_threads) few_rows(Move m) {
  const std::int64_t w = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  if (m.skip && *m.skip != 0) return;
  each_few<Log, depth>(m, w * depth * warp, Act(m));
}

template <class Act>
__global__ void __launch_bounds__(block_threads) long_rows(Move m, std::int64_t units, std::int64_t parts) {
  const std::int64_t w = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  const std::int64_t position = w / parts, begin = w % parts * part_units;
  if (position >= m.count || (m.skip && *m.skip != 0)) return;
  const Act act(m);
  each_long(act.slot(m, slot_of(m, position), position), position, begin, min(units, begin + part_units), act);
}

inline unsigned blocks_for(std::int64_t warps) {
  constexpr int per_block = block_threads / warp;
  return static_cast<unsigned>((warps + per_block - 1) / per_block);
}

template <class Act, int Log>
void walk_short(const Move& m, std::int64_t units, cudaStream_t stream) {
  short_rows<Log, Act><<<blocks_for((m.count + warp - 1) / warp), block_threads, 0, stream>>>(
      m, Divider::by(static_cast<std::uint32_t>(units)));
}

template <class Act, int Log, int depth = 2>
void walk_middling(const Move& m, cudaStream_t stream) {
  if constexpr (Act::gathers) {
    constexpr int units = depth * warp;
    few_rows<Log, depth, Act><<<blocks_for(((m.count << Log) + units - 1) / units), block_threads, 0, stream>>>(m);
  } else {
    walk_short<Act, Log>(m, 1 << Log, stream);
  }
}

template <class Act>
void walk_long(const Move& m, std::int64_t units, cudaStream_t stream) {
  const std::int64_t parts = (units + part_units - 1) / part_units;
  long_rows<Act><<<blocks_for(m.count * parts), block_threads, 0, stream>>>(m, units, parts);
}

inline constexpr int in_a_row = 4;  ///< consecutive elements that a thread processes

/// Consecutive elements that are moved by one load or store.
template <class Unit>
struct alignas(in_a_row * sizeof(Unit)) Four {
  Unit at[in_a_row];
};

template <class Unit>
__device__ void store_streaming(Unit* to, const Four<Unit>& values) {
  typename UnitOf<static_cast<int>(in_a_row * sizeof(Unit))>::type together;
  __builtin_memcpy(&together, &values, sizeof together);
  __stcs(reinterpret_cast<decltype(together)*>(to), together);
}

/// Moves elements [first, last), whose indices may be out of range.
template <class Act>
__device__ void one_by_one(const Move& m, std::int64_t first, std::int64_t last) {
  const Act act(m);
  for (std::int64_t i = first; i < last; ++i) {
    const Slot slot = act.slot(m, slot_of(m, i), i);
    act.store(slot, i, 0, act.load(slot, i, 0));
  }
}

/// For elements that are contiguous in the table and in the moved array, with 32-bit indices.
template <class Unit, class Act>
__global__ void __launch_bounds__(block_threads) dense_elements(Move m) {
  const std::int64_t first = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) * in_a_row;
  if (first >= m.count) return;
  if (first + in_a_row > m.count) return one_by_one<Act>(m, first, m.count);
  const uint4 idx = __ldcs(reinterpret_cast<const uint4*>(static_cast<const std::uint32_t*>(m.idx) + first));
  const std::uint32_t indices[] = {idx.x, idx.y, idx.z, idx.w};
  const std::uint32_t largest = max(max(idx.x, idx.y), max(idx.z, idx.w));
  if (largest >= static_cast<std::uint64_t>(m.capacity) || m.winners) [[unlikely]]
    return one_by_one<Act>(m, first, first + in_a_row);
  auto* moved = reinterpret_cast<Unit*>(m.moved) + first;
  auto* table = reinterpret_cast<Unit*>(m.table);
  Four<Unit> values;
  if constexpr (Act::gathers) {
#pragma unroll
    for (int k = 0; k < in_a_row; ++k) values.at[k] = __ldg(table + indices[k]);
    store_streaming(moved, values);
  } else {
    values = *reinterpret_cast<const Four<Unit>*>(moved);
#pragma unroll
    for (int k = 0; k < in_a_row; ++k) Act::put(table + indices[k], values.at[k]);
  }
}

/// Rows of one unit each.
template <class Unit, class Act>
void walk_elements(const Move& m, cudaStream_t stream) {
  const auto at = reinterpret_cast<std::uintptr_t>(m.moved) % sizeof(Four<Unit>);
  constexpr auto size = static_cast<std::int64_t>(sizeof(Unit));
  const bool dense = m.moved_step == size && m.table_step == size && at == 0 &&
                     reinterpret_cast<std::uintptr_t>(m.idx) % sizeof(uint4) == 0 && !m.wide;
  if (!dense) return walk_short<Act, 0>(m, 1, stream);
  const unsigned blocks = blocks_for((m.count + warp * in_a_row - 1) / (warp * in_a_row));
  dense_elements<Unit, Act><<<blocks, block_threads, 0, stream>>>(m);
}

/// Moves all rows in units of type Unit, by kernels that serve any number of units.
template <class Unit, class Act>
void walk_few(const Move& m, cudaStream_t stream) {
  const std::int64_t units = m.row_bytes / static_cast<std::int64_t>(sizeof(Unit));
  units <= warp ? walk_short<Act, -1>(m, units, stream) : walk_long<Act>(m, units, stream);
}

/// The same with a kernel of its own for each power of two of units.
template <class Unit, class Act>
void walk_rows(const Move& m, cudaStream_t stream) {
  const std::int64_t units = m.row_bytes / static_cast<std::int64_t>(sizeof(Unit));
  switch (units) {
    case 1:
      if constexpr (sizeof(Unit) <= 4) return walk_elements<Unit, Act>(m, stream);
      return walk_short<Act, 0>(m, units, stream);
    case 2:
      return walk_middling<Act, 1, 1>(m, stream);
    case 4:
      return walk_short<Act, 2>(m, units, stream);
    case 8:
      return walk_short<Act, 3>(m, units, stream);
    case 16:
      return walk_middling<Act, 4>(m, stream);
    case 32:
      return walk_middling<Act, 5>(m, stream);
    default:
      break;
  }
  walk_few<Unit, Act>(m, stream);
}

}  // namespace ptox::cuda
