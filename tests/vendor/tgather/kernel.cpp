// SPDX-License-Identifier: Apache-2.0
// TGATHER: the root collects the rows of all ranks, by one or two staging tiles.
#include "kernel_common.hpp"
#include "pto/comm/pto_comm_inst.hpp"

template <typename T, int kOuter, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
__global__ AICORE void TGatherKernel(__gm__ T* dst, __gm__ T* src, int root, __gm__ CommDeviceContext* ctx) {
  using Part = pto::GlobalTensor<T, pto::Shape<1, 1, kOuter, kRows, kCols>,
                                 pto::Stride<kOuter * kRows * kCols, kOuter * kRows * kCols, kRows * kCols, kCols, 1>>;
  using Result =
      pto::GlobalTensor<T, pto::Shape<1, 1, kOuter, -1, kCols>, pto::Stride<-1, -1, -1, kCols, 1>, pto::Layout::ND>;
  using TileT = StagingTile<T, kRows, kCols, kTileRows, kTileCols>;

  const int rankNum = static_cast<int>(ctx->rankNum);
  const int64_t slice = static_cast<int64_t>(rankNum) * kRows * kCols;
  Part parts[HCCL_MAX_RANK_NUM];
  for (int r = 0; r < rankNum; ++r) parts[r] = Part(CommRemotePtr(ctx, src, r));
  auto group = pto::comm::ParallelGroup<Part>::Create(parts, rankNum, root);
  Result result(dst, {rankNum * kRows}, {kOuter * slice, kOuter * slice, slice});
  TileT ping = MakeTile<TileT>(kFirstTile), pong = MakeTile<TileT>(kSecondTile);
  if (static_cast<int>(ctx->rankId) == group.GetRootIdx()) {
#ifndef WITHOUT_COLLECTIVE
    if constexpr (kPingPong != 0) {
      pto::comm::TGATHER(group, result, ping, pong);
    } else {
      pto::comm::TGATHER(group, result, ping);
    }
#endif
  }
  pipe_barrier(PIPE_ALL);
}

template <typename T, int kOuter, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTGather(T* dst, T* src, int root, CommDeviceContext* ctx, void* stream) {
  TGatherKernel<T,          // element
                kOuter,     // DIM_2
                kRows,      // DIM_3 of one rank
                kCols,      // DIM_4
                kTileRows,  //
                kTileCols,  // of a staging tile
                kPingPong>  // two tiles
      <<<1, nullptr, stream>>>(dst, src, root, ctx);
}

#define INSTANTIATE(T, ...) template void LaunchTGather<T, __VA_ARGS__>(T*, T*, int, CommDeviceContext*, void*)
INSTANTIATE(float, 1, 16, 32, 16, 32, 0);
INSTANTIATE(float, 2, 10, 72, 4, 32, 1);
INSTANTIATE(half, 1, 24, 64, 8, 64, 1);
INSTANTIATE(half, 1, 17, 64, 8, 32, 0);
INSTANTIATE(int32_t, 1, 32, 64, 8, 32, 0);
INSTANTIATE(int16_t, 2, 16, 64, 16, 64, 0);
INSTANTIATE(uint8_t, 1, 12, 96, 5, 64, 1);
