// SPDX-License-Identifier: Apache-2.0
// TBROADCAST: the root sends its tensor to every rank, by one or two staging tiles.
#include "kernel_common.hpp"
#include "pto/comm/pto_comm_inst.hpp"

template <typename T, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
__global__ AICORE void TBroadcastKernel(__gm__ T* dst, __gm__ T* src, int root, __gm__ CommDeviceContext* ctx) {
  using Data = Matrix<T, kRows, kCols>;
  using TileT = StagingTile<T, kRows, kCols, kTileRows, kTileCols>;
  const int rankNum = static_cast<int>(ctx->rankNum);
  Data copies[HCCL_MAX_RANK_NUM], source(src);
  for (int r = 0; r < rankNum; ++r) copies[r] = Data(CommRemotePtr(ctx, dst, r));
  pto::comm::ParallelGroup<Data> group(copies, rankNum, root);
  TileT ping = MakeTile<TileT>(kFirstTile), pong = MakeTile<TileT>(kSecondTile);
  if (static_cast<int>(ctx->rankId) == root) {
#ifndef WITHOUT_COLLECTIVE
    if constexpr (kPingPong != 0) {
      pto::comm::TBROADCAST(group, source, ping, pong);
    } else {
      pto::comm::TBROADCAST(group, source, ping);
    }
#endif
  }
  pipe_barrier(PIPE_ALL);
}

template <typename T, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTBroadcast(T* dst, T* src, int root, CommDeviceContext* ctx, void* stream) {
  return TBroadcastKernel<T, kRows, kCols, kTileRows, kTileCols, kPingPong>
      <<<1, nullptr, stream>>>(dst, src, root, ctx);
}

#define INSTANTIATE(T, ...) template void LaunchTBroadcast<T, __VA_ARGS__>(T*, T*, int, CommDeviceContext*, void*)
INSTANTIATE(float, 16, 32, 16, 32, 0);
INSTANTIATE(float, 27, 88, 8, 64, 1);
INSTANTIATE(half, 16, 64, 16, 64, 0);
INSTANTIATE(half, 64, 64, 16, 32, 1);
INSTANTIATE(int32_t, 10, 72, 4, 32, 0);
INSTANTIATE(int16_t, 32, 64, 8, 64, 1);
INSTANTIATE(uint8_t, 12, 96, 5, 64, 0);
