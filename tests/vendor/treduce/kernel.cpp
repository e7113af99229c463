// SPDX-License-Identifier: Apache-2.0
// TREDUCE: the root combines the tensors of all ranks by Sum, Max or Min.
#include "kernel_common.hpp"
#include "pto/comm/pto_comm_inst.hpp"

using pto::comm::ReduceOp;

template <typename T, ReduceOp kOp, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
__global__ AICORE void TReduceKernel(__gm__ T* dst, __gm__ T* src, int root, __gm__ CommDeviceContext* ctx) {
  using Data = Matrix<T, kRows, kCols>;
  using TileT = StagingTile<T, kRows, kCols, kTileRows, kTileCols>;
  if (static_cast<int>(ctx->rankId) != root) return;

  const int rankNum = static_cast<int>(ctx->rankNum);
  Data parts[HCCL_MAX_RANK_NUM], result(dst);
  for (int r = 0; r < rankNum; ++r) parts[r] = Data(CommRemotePtr(ctx, src, r));
  pto::comm::ParallelGroup<Data> group(parts, rankNum, root);
  TileT acc = MakeTile<TileT>(kFirstTile), ping = MakeTile<TileT>(kSecondTile), pong = MakeTile<TileT>(kThirdTile);
#ifndef WITHOUT_COLLECTIVE
  if constexpr (kPingPong != 0) {
    pto::comm::TREDUCE(group, result, acc, ping, pong, kOp);
  } else {
    pto::comm::TREDUCE(group, result, acc, ping, kOp);
  }
#endif
  pipe_barrier(PIPE_ALL);
}

template <typename T, ReduceOp kOp, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTReduce(T* dst, T* src, int root, CommDeviceContext* ctx, void* stream) {
  TReduceKernel<T, kOp, kRows, kCols, kTileRows, kTileCols, kPingPong><<<1, nullptr, stream>>>(dst, src, root, ctx);
}

#define INSTANTIATE(T, ...) template void LaunchTReduce<T, __VA_ARGS__>(T*, T*, int, CommDeviceContext*, void*)
INSTANTIATE(float, ReduceOp::Sum, 16, 32, 16, 32, 0);
INSTANTIATE(float, ReduceOp::Sum, 27, 88, 8, 64, 1);
INSTANTIATE(float, ReduceOp::Max, 32, 64, 8, 32, 0);
INSTANTIATE(half, ReduceOp::Sum, 16, 64, 16, 64, 1);
INSTANTIATE(half, ReduceOp::Min, 10, 80, 4, 32, 1);
INSTANTIATE(int32_t, ReduceOp::Sum, 32, 64, 8, 32, 0);
INSTANTIATE(int32_t, ReduceOp::Min, 16, 32, 16, 32, 0);
INSTANTIATE(int16_t, ReduceOp::Max, 33, 48, 16, 32, 1);
