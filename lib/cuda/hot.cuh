// SPDX-License-Identifier: Apache-2.0
// Finds hot rows, which receive many of the updates, and sums their updates in shared memory before they are added to
// global memory.
#pragma once

#include "cuda/atomics.cuh"
#include "cuda/scratch.hpp"
#include "cuda/walk.cuh"

namespace ptox::cuda {

/// The hot rows that were found in a sample of the indices. In global memory, written by one block.
struct Hot {
  static constexpr int most = 64;
  static constexpr int places = 256;  ///< entries of the hash table, more than twice as many as rows
  int count;
  std::int64_t slots[most];
};

/// Finds at most `most` hot rows in a sample of the indices.
void find_hot(const Move&, int most, Hot*, CUstream_st*);

inline constexpr float nothing = -0.0f;  ///< the neutral element of addition, for negative zero too

/// The layout of a block's sums of hot rows in shared memory, as floats. There may be several copies, so that the warps
/// of a block rarely update the same address.
struct HotSums {
  int most, copies;  ///< rows, and copies of each
  __host__ __device__ std::int64_t floats(std::int64_t width) const { return width * most * copies; }
};
inline HotSums hot_sums(std::int64_t width) {
  constexpr std::int64_t budget = 32 * 1024 / 4;
  const std::int64_t rows = budget / width < Hot::most ? budget / width : Hot::most;
  return {static_cast<int>(rows), width * rows * 4 <= budget ? 4 : 1};
}

/// A hash table with open addressing from the slot of a hot row to its number.
struct HotTable {
  std::int64_t keys[Hot::places];
  std::uint8_t ids[Hot::places];
  __device__ static unsigned place(std::int64_t slot) {
    return static_cast<unsigned>((static_cast<std::uint64_t>(slot) * 0x9e3779b97f4a7c15ull) >> 56);
  }
  /// Called by one thread; all keys are negative before.
  __device__ void make(const Hot& hot) {
    for (int i = 0; i < hot.count; ++i) {
      unsigned at = place(hot.slots[i]);
      while (keys[at] >= 0) at = (at + 1) % Hot::places;
      keys[at] = hot.slots[i], ids[at] = static_cast<std::uint8_t>(i);
    }
  }
  /// The number of the hot row with that slot; -1 if there is none.
  __device__ int find(std::int64_t slot) const {
    for (unsigned at = place(slot); keys[at] >= 0; at = (at + 1) % Hot::places)
      if (keys[at] == slot) return ids[at];
    return -1;
  }
};

/// Like the plain act, but adds the updates of hot rows to the block's sums. The slot of hot row number n is
/// represented as -2 - n.
template <class T, class Plain>
struct HotAct : Plain {
  static constexpr int per_unit = 16 / static_cast<int>(sizeof(T));
  const HotTable* hot;
  float* sums;  ///< this warp's copy
  std::int64_t width;
  __device__ HotAct(const Move& m, const HotTable* table, float* copy)
      : Plain(m), hot(table), sums(copy), width(m.row_bytes / static_cast<std::int64_t>(sizeof(T))) {}
  __device__ Slot slot(const Move&, Slot slot, std::int64_t) const {
    const int number = slot.valid() ? hot->find(slot.at) : -1;
    return number < 0 ? slot : Slot{-2 - number};
  }
  __device__ void store(Slot slot, std::int64_t position, std::int64_t unit, uint4 value) const {
    if (slot.at > -2) return Plain::store(slot, position, unit, value);
    float* to = sums + (-2 - slot.at) * width + unit * per_unit;
    BitsOf<sizeof(T)> parts[per_unit];
    __builtin_memcpy(parts, &value, sizeof value);
#pragma unroll
    for (int k = 0; k < per_unit; ++k) atomicAdd(to + k, static_cast<float>(wide<T>(parts[k])));
  }
};

/// Adds a block's sums of hot rows to the table.
template <class T>
__device__ void add_sums(const Move& m, const Hot& hot, HotSums shape, const float* sums) {
  constexpr int per_unit = 16 / static_cast<int>(sizeof(T));
  const std::int64_t width = m.row_bytes / static_cast<std::int64_t>(sizeof(T)), units = width / per_unit;
  for (std::int64_t at = threadIdx.x; at < hot.count * units; at += block_threads) {
    BitsOf<sizeof(T)> parts[per_unit];
    for (int k = 0; k < per_unit; ++k) {
      float sum = nothing;
      for (int copy = 0; copy < shape.copies; ++copy) sum += sums[copy * width * shape.most + at * per_unit + k];
      parts[k] = narrow<T>(sum);
    }
    uint4 value;
    __builtin_memcpy(&value, parts, sizeof value);
    std::byte* row = m.table + hot.slots[at / units] * m.table_step;
    add_vector<T>(reinterpret_cast<uint4*>(row) + at % units, value);
  }
}

/// Processes all rows by few blocks, each of which has sums of its own. Log -2: long rows.
template <int Log, class T, class Plain>
__global__ void __launch_bounds__(block_threads) hot_rows(Move m, Divider by, const Hot* hot, HotSums shape) {
  extern __shared__ float sums[];
  __shared__ HotTable table;
  if (hot->count == 0) return;
  const std::int64_t width = m.row_bytes / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = threadIdx.x; i < shape.floats(width); i += block_threads) sums[i] = nothing;
  for (int i = threadIdx.x; i < Hot::places; i += block_threads) table.keys[i] = -1;
  __syncthreads();
  if (threadIdx.x == 0) table.make(*hot);
  __syncthreads();
  const int copy = threadIdx.x / warp % shape.copies;
  const HotAct<T, Plain> act(m, &table, sums + copy * width * shape.most);
  const std::int64_t w = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / warp;
  const std::int64_t warps = std::int64_t{gridDim.x} * block_threads / warp;
  if constexpr (Log == -2) {
    for (std::int64_t row = w; row < m.count; row += warps)
      each_long(act.slot(m, slot_of(m, row), row), row, 0, m.row_bytes / 16, act);
  } else {
    for (std::int64_t first = w * warp; first < m.count; first += warps * warp) each_short<Log>(m, by, first, act);
  }
  __syncthreads();
  add_sums<T>(m, *hot, shape, sums);
}

/// Adds rows of whole 16-byte units to the table. If a sample of the indices finds hot rows, their updates are summed
/// first.
template <class T, class Plain>
void add_rows(Move m, CUstream_st* stream) {
  constexpr std::int64_t worth_a_look = 1 << 16;
  const std::int64_t units = m.row_bytes / 16;
  const HotSums shape = hot_sums(m.row_bytes / static_cast<std::int64_t>(sizeof(T)));
  if (m.count < worth_a_look || shape.most == 0) return walk_rows<uint4, Plain>(m, stream);
  const Scratch memory(sizeof(Hot), stream);
  Hot* hot = memory.as<Hot>();
  find_hot(m, shape.most, hot, stream);
  m.skip = &hot->count;
  walk_rows<uint4, Plain>(m, stream);
  const auto by = Divider::by(static_cast<std::uint32_t>(units));
  const auto bytes = static_cast<unsigned>(shape.floats(m.row_bytes / static_cast<std::int64_t>(sizeof(T))) * 4);
  const auto blocks = static_cast<unsigned>(processors() * 6);
  if (units == 1)
    hot_rows<0, T, Plain><<<blocks, block_threads, bytes, stream>>>(m, by, hot, shape);
  else if (units == 4)
    hot_rows<2, T, Plain><<<blocks, block_threads, bytes, stream>>>(m, by, hot, shape);
  else if (units <= warp)
    hot_rows<-1, T, Plain><<<blocks, block_threads, bytes, stream>>>(m, by, hot, shape);
  else
    hot_rows<-2, T, Plain><<<blocks, block_threads, bytes, stream>>>(m, by, hot, shape);
}

}  // namespace ptox::cuda
