// SPDX-License-Identifier: Apache-2.0
// A kernel that copies a tile of its rank to the windows of all ranks, for host programs of several ranks.
#pragma once

#include <pto/comm/comm_types.hpp>
#include <pto/pto-inst.hpp>

#include "acl/acl.h"
#include "hccl/hccl.h"
using namespace pto;

struct Context {
  uint64_t workSpace, workSpaceSize;
  uint32_t rankId, rankNum;
  uint64_t winSize, windowsIn[64], windowsOut[64];
};
constexpr int rows = 16, cols = 32, elements = rows * cols;

__global__ AICORE void broadcast(__gm__ float* src, __gm__ float* window, __gm__ Context* ctx) {
  using Block = GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, cols, 1>>;
  Block parts[64];
  for (uint32_t r = 0; r < ctx->rankNum; ++r) {
    const uint64_t offset = reinterpret_cast<uint64_t>(window) - ctx->windowsIn[ctx->rankId];
    parts[r] = Block(reinterpret_cast<float*>(ctx->windowsIn[r] + offset));
  }
  comm::ParallelGroup<Block> group(parts, static_cast<int>(ctx->rankNum), static_cast<int>(ctx->rankId));
  Block src_gm(src);
  Tile<TileType::Vec, float, rows, cols> tile;
#ifndef WITHOUT_COLLECTIVE
  comm::TBROADCAST(group, src_gm, tile);
#endif
}

/// Joins, broadcasts numbers from rank 0 and leaves. `before_launch()` is called after the first barrier. Returns the
/// number of wrong elements, or -1 if it failed.
template <class F>
int broadcast_from_rank_0(const HcclRootInfo& root, uint32_t ranks, uint32_t rank, F before_launch) {
  HcclComm comm = nullptr;
  if (HcclCommInitRootInfo(ranks, &root, rank, &comm) != HCCL_SUCCESS) return -1;
  void *device = nullptr, *src = nullptr;
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  HcclAllocComResourceByTiling(comm, stream, nullptr, &device);
  Context context;
  aclrtMemcpy(&context, sizeof context, device, sizeof context, ACL_MEMCPY_DEVICE_TO_HOST);
  auto* window = reinterpret_cast<float*>(context.windowsIn[rank] + 4096);
  aclrtMalloc(&src, elements * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  for (int i = 0; i < elements; ++i) static_cast<float*>(src)[i] = static_cast<float>(i + 1);
  if (HcclBarrier(comm, stream) != HCCL_SUCCESS) return -1;
  before_launch();
  if (rank == 0) broadcast<<<1, nullptr, stream>>>(static_cast<float*>(src), window, static_cast<Context*>(device));
  if (aclrtSynchronizeStream(stream) != ACL_SUCCESS || HcclBarrier(comm, stream) != HCCL_SUCCESS) return -1;
  int wrong = 0;
  for (int i = 0; i < elements; ++i) wrong += window[i] != static_cast<float>(i + 1);
  aclrtFree(src);
  aclrtDestroyStream(stream);
  HcclCommDestroy(comm);
  return wrong;
}
