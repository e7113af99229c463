// SPDX-License-Identifier: Apache-2.0
// Loops in which a warp processes rows of an indexed move, in units of one load each and with several loads in
// progress.
#pragma once

#include "cuda/slots.cuh"

namespace ptox::cuda {

inline constexpr int warp = 32, block_threads = 256;
inline constexpr unsigned all_lanes = ~0u;

/// The type of a unit, which a lane moves by one load and one store.
template <int Bytes>
struct UnitOf;
template <>
struct UnitOf<16> {
  using type = uint4;
};
template <>
struct UnitOf<8> {
  using type = uint2;
};
template <>
struct UnitOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnitOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnitOf<1> {
  using type = std::uint8_t;
};

/// n / d by a multiplication, for n below 2^31.
struct Divider {
  std::uint32_t divisor = 1, factor = 0, shift = 0;
  __host__ __device__ static Divider by(std::uint32_t d) {
    std::uint32_t shift = 0;
    while ((1u << shift) < d) ++shift;
    const std::uint64_t factor = ((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - d)) / d + 1;
    return {d, static_cast<std::uint32_t>(factor), shift};
  }
  __device__ std::uint32_t quotient(std::uint32_t n) const { return (__umulhi(n, factor) + n) >> shift; }
};

/// Numbers the units of 32 rows of 2^Log units each: unit number `at` is unit `unit(at)` of row `row(at)`.
template <int Log>
struct ShortRow {
  static constexpr bool power_of_two = true;
  __device__ ShortRow(const Divider&) {}
  __device__ int units() const { return 1 << Log; }
  __device__ int row(int at) const { return at >> Log; }
  __device__ int unit(int at) const { return at & ((1 << Log) - 1); }
};
/// The same for rows of any number of units up to 32.
template <>
struct ShortRow<-1> {
  static constexpr bool power_of_two = false;
  Divider by;
  __device__ ShortRow(const Divider& d) : by(d) {}
  __device__ int units() const { return static_cast<int>(by.divisor); }
  __device__ int row(int at) const { return static_cast<int>(by.quotient(static_cast<std::uint32_t>(at))); }
  __device__ int unit(int at) const { return at - row(at) * units(); }
};

/// Moves every unit of 32 rows from row `first` on: first the loads of a batch, then its stores. `act` has `depth`, the
/// maximum number of loads in progress in a lane, `slot(move, slot, position)`, `load(slot, position, unit)` and
/// `store(slot, position, unit, value)`.
template <int Log, class Act>
__device__ void each_short(const Move& m, const Divider& by, std::int64_t first, const Act& act) {
  constexpr int depth = Log >= 0 && (1 << (Log < 0 ? 0 : Log)) < Act::depth ? 1 << Log : Act::depth;
  const int lane = threadIdx.x % warp;
  const ShortRow<Log> shape(by);
  const Slot mine = first + lane < m.count ? act.slot(m, slot_of(m, first + lane), first + lane) : Slot{-1};
  for (int step = 0; step < shape.units(); step += depth) {
    typename Act::Value values[depth];
    std::int64_t slot[depth];
#pragma unroll
    for (int b = 0; b < depth; ++b) {
      const int k = (step + b) * warp + lane, row = shape.row(k) % warp;
      slot[b] = __shfl_sync(all_lanes, mine.at, row);
      if (step + b < shape.units() && first + row < m.count)
        values[b] = act.load(Slot{slot[b]}, first + row, shape.unit(k));
    }
#pragma unroll
    for (int b = 0; b < depth; ++b) {
      const int k = (step + b) * warp + lane, row = shape.row(k) % warp;
      if (step + b < shape.units() && first + row < m.count)
        act.store(Slot{slot[b]}, first + row, shape.unit(k), values[b]);
    }
  }
}

/// Moves `depth` * 32 consecutive units from unit `first` on, for rows of 2^Log units. A warp moves only a few units,
/// so that what many warps move at the same time is close together in memory.
template <int Log, int depth, class Act>
__device__ void each_few(const Move& m, std::int64_t first, const Act& act) {
  const int lane = threadIdx.x % warp;
  typename Act::Value values[depth];
  Slot slots[depth];
#pragma unroll
  for (int b = 0; b < depth; ++b) {
    const std::int64_t at = first + b * warp + lane, position = at >> Log;
    if (position >= m.count) break;
    slots[b] = act.slot(m, slot_of(m, position), position);
    values[b] = act.load(slots[b], position, at & ((1 << Log) - 1));
  }
#pragma unroll
  for (int b = 0; b < depth; ++b) {
    const std::int64_t at = first + b * warp + lane, position = at >> Log;
    if (position < m.count) act.store(slots[b], position, at & ((1 << Log) - 1), values[b]);
  }
}

/// Moves units [begin, end) of one long row.
template <class Act>
__device__ void each_long(Slot slot, std::int64_t position, std::int64_t begin, std::int64_t end, const Act& act) {
  constexpr int depth = Act::depth;
  const int lane = threadIdx.x % warp;
  for (std::int64_t k0 = begin + lane; k0 < end; k0 += depth * warp) {
    typename Act::Value values[depth];
#pragma unroll
    for (int b = 0; b < depth; ++b)
      if (k0 + b * warp < end) values[b] = act.load(slot, position, k0 + b * warp);
#pragma unroll
    for (int b = 0; b < depth; ++b)
      if (k0 + b * warp < end) act.store(slot, position, k0 + b * warp, values[b]);
  }
}

}  // namespace ptox::cuda
