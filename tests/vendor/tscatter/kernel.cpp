// SPDX-License-Identifier: Apache-2.0
// TSCATTER: the root sends each rank its rows, by one or two staging tiles.
#include "kernel_common.hpp"
#include "pto/comm/pto_comm_inst.hpp"

using namespace pto;

template <typename T, int kOuter, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
__global__ AICORE void TScatterKernel(__gm__ T* dst, __gm__ T* src, int root, __gm__ CommDeviceContext* ctx) {
  using Part = GlobalTensor<T, Shape<1, 1, kOuter, kRows, kCols>,
                            Stride<kOuter * kRows * kCols, kOuter * kRows * kCols, kRows * kCols, kCols, 1>>;
  using Source = GlobalTensor<T, Shape<1, 1, kOuter, DYNAMIC, kCols>, Stride<DYNAMIC, DYNAMIC, DYNAMIC, kCols, 1>>;
  using TileT = StagingTile<T, kRows, kCols, kTileRows, kTileCols>;
  if (static_cast<int>(ctx->rankId) != root) return;

  const int rankNum = static_cast<int>(ctx->rankNum);
  Part parts[HCCL_MAX_RANK_NUM];
  for (int r = 0; r < rankNum; ++r) parts[r] = Part(CommRemotePtr(ctx, dst, r));
  comm::ParallelGroup<Part> group(parts, rankNum, root);
  const int64_t slice = static_cast<int64_t>(rankNum) * kRows * kCols;
  Source source(src, {rankNum * kRows}, {kOuter * slice, kOuter * slice, slice});
  TileT ping = MakeTile<TileT>(kFirstTile), pong = MakeTile<TileT>(kSecondTile);
#ifndef WITHOUT_COLLECTIVE
  if constexpr (kPingPong != 0) {
    comm::TSCATTER(group, source, ping, pong);
  } else {
    comm::TSCATTER(group, source, ping);
  }
#endif
  pipe_barrier(PIPE_ALL);
}

template <typename T, int kOuter, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTScatter(T* dst, T* src, int root, CommDeviceContext* ctx, void* stream) {
  TScatterKernel<T, kOuter, kRows, kCols, kTileRows, kTileCols, kPingPong><<<1, nullptr, stream>>>(dst, src, root, ctx);
}

#define INSTANTIATE(T, ...) template void LaunchTScatter<T, __VA_ARGS__>(T*, T*, int, CommDeviceContext*, void*)
INSTANTIATE(float, 1, 16, 32, 16, 32, 0);
INSTANTIATE(float, 1, 32, 64, 8, 32, 0);
INSTANTIATE(float, 2, 10, 72, 4, 32, 1);
INSTANTIATE(half, 1, 16, 64, 16, 64, 0);
INSTANTIATE(half, 1, 24, 64, 8, 64, 1);
INSTANTIATE(int32_t, 2, 9, 40, 4, 32, 0);
INSTANTIATE(int16_t, 1, 33, 48, 16, 32, 1);
INSTANTIATE(uint8_t, 1, 12, 96, 5, 64, 1);
