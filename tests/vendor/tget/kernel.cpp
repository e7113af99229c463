// SPDX-License-Identifier: Apache-2.0
// TGET: a rank copies a tensor from the window of another rank.
#include "kernel_common.hpp"
#include "pto/comm/pto_comm_inst.hpp"

template <typename T, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
__global__ AICORE void TGetKernel(__gm__ T* dst, __gm__ T* src, int peer, __gm__ CommDeviceContext* ctx) {
  using TileT = StagingTile<T, kRows, kCols, kTileRows, kTileCols>;
  Matrix<T, kRows, kCols> local(dst), remote(CommRemotePtr(ctx, src, peer));
  TileT ping = MakeTile<TileT>(kFirstTile), pong = MakeTile<TileT>(kSecondTile);
#ifndef WITHOUT_COLLECTIVE
  if constexpr (kPingPong != 0) {
    pto::comm::TGET(local, remote, ping, pong);
  } else {
    pto::comm::TGET(local, remote, ping);
  }
#endif
  pipe_barrier(PIPE_ALL);
}

template <typename T, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTGet(T* dst, T* src, int peer, CommDeviceContext* ctx, void* stream) {
  constexpr uint32_t blockDim = 1;
  TGetKernel<T, kRows, kCols, kTileRows, kTileCols, kPingPong><<<blockDim, nullptr, stream>>>(dst, src, peer, ctx);
}

#define INSTANTIATE(T, ...) template void LaunchTGet<T, __VA_ARGS__>(T*, T*, int, CommDeviceContext*, void*)
INSTANTIATE(float, 16, 32, 16, 32, 0);
INSTANTIATE(float, 27, 88, 8, 64, 1);
INSTANTIATE(half, 64, 64, 16, 32, 0);
INSTANTIATE(int32_t, 10, 72, 4, 32, 1);
INSTANTIATE(int16_t, 33, 48, 16, 32, 0);
INSTANTIATE(uint8_t, 12, 96, 5, 64, 1);
