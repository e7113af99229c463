// SPDX-License-Identifier: Apache-2.0
// Moves rows and elements by index without arithmetic.
#include "cuda/acts.cuh"
#include "cuda/kernels.hpp"
#include "cuda/walk.cuh"

namespace ptox::cuda {

namespace {

template <template <class> class Act>
void walk(const Move& m, Stream stream) {
  if (m.count == 0 || m.row_bytes == 0) return;
  switch (unit_bytes(m)) {
    case 16:
      return walk_rows<UnitOf<16>::type, Act<UnitOf<16>::type>>(m, stream);
    case 8:
      return walk_rows<UnitOf<8>::type, Act<UnitOf<8>::type>>(m, stream);
    case 4:
      return walk_rows<UnitOf<4>::type, Act<UnitOf<4>::type>>(m, stream);
    case 2:
      return walk_rows<UnitOf<2>::type, Act<UnitOf<2>::type>>(m, stream);
    default:
      return walk_rows<UnitOf<1>::type, Act<UnitOf<1>::type>>(m, stream);
  }
}

__global__ void __launch_bounds__(block_threads) winners_of(Move m, std::uint32_t* winners) {
  const std::int64_t position = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (position >= m.count) return;
  if (const Slot slot = slot_of(m, position); slot.valid())
    atomicMax(winners + slot.at, static_cast<std::uint32_t>(position + 1));
}

}  // namespace

void gather(const Move& m, Stream stream) { walk<Gather>(m, stream), check_launch("gather"); }
void store(const Move& m, Stream stream) { walk<Scatter>(m, stream), check_launch("scatter"); }

void find_winners(const Move& m, std::uint32_t* winners, Stream stream) {
  if (m.count > 0) winners_of<<<blocks_for((m.count + warp - 1) / warp), block_threads, 0, stream>>>(m, winners);
  check_launch("scatter: the last position of each slot");
}

}  // namespace ptox::cuda
