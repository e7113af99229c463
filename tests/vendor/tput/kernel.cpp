// SPDX-License-Identifier: Apache-2.0
// TPUT: a rank copies or adds its tensor to one in the window of another rank.
#include "kernel_common.hpp"
#include "pto/comm/pto_comm_inst.hpp"

using pto::AtomicType;

template <typename T, AtomicType kAtomic, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
__global__ AICORE void TPutKernel(__gm__ T* dst, __gm__ T* src, int peer, __gm__ CommDeviceContext* ctx) {
  using TileT = StagingTile<T, kRows, kCols, kTileRows, kTileCols>;
  Matrix<T, kRows, kCols> remote(CommRemotePtr(ctx, dst, peer)), local(src);
  TileT ping = MakeTile<TileT>(kFirstTile), pong = MakeTile<TileT>(kSecondTile);
#ifndef WITHOUT_COLLECTIVE
  if constexpr (kPingPong != 0) {
    pto::comm::TPUT<kAtomic>(remote, local, ping, pong);
  } else if constexpr (kAtomic == AtomicType::AtomicAdd) {
    pto::comm::TPUT<AtomicType::AtomicAdd>(remote, local, ping);
  } else {
    pto::comm::TPUT(remote, local, ping);
  }
#endif
  pipe_barrier(PIPE_ALL);
}

template <typename T, AtomicType kAtomic, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTPut(T* dst, T* src, int peer, CommDeviceContext* ctx, void* stream) {
  TPutKernel<T, kAtomic, kRows, kCols, kTileRows, kTileCols, kPingPong><<<1, nullptr, stream>>>(dst, src, peer, ctx);
}

#define INSTANTIATE(T, ...) template void LaunchTPut<T, __VA_ARGS__>(T*, T*, int, CommDeviceContext*, void*)
INSTANTIATE(float, AtomicType::AtomicNone, 16, 32, 16, 32, 0);
INSTANTIATE(half, AtomicType::AtomicNone, 27, 80, 8, 64, 1);
INSTANTIATE(int16_t, AtomicType::AtomicNone, 32, 64, 8, 32, 0);
INSTANTIATE(uint8_t, AtomicType::AtomicNone, 12, 96, 5, 64, 1);
INSTANTIATE(float, AtomicType::AtomicAdd, 16, 32, 16, 32, 0);
INSTANTIATE(float, AtomicType::AtomicAdd, 10, 72, 4, 32, 1);
INSTANTIATE(half, AtomicType::AtomicAdd, 16, 64, 16, 64, 0);
INSTANTIATE(int32_t, AtomicType::AtomicAdd, 32, 64, 8, 32, 1);
