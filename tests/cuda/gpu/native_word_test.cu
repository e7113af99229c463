// SPDX-License-Identifier: Apache-2.0
// If __global__ expands to nothing, PTO_CUDA_KERNEL marks a native CUDA kernel. CUB may be included before PTO if
// CUDA_NO_HALF is defined first.
#define CUDA_NO_HALF
#include <gtest/gtest.h>

#include <cub/block/block_reduce.cuh>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Device;

constexpr int count = 128;

/// A kernel as written in sources for NPUs.
__global__ AICORE void fill(__gm__ int32_t* out) {
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, count>, Stride<1, 1, 1, count, 1>> out_gm(out);
  Tile<TileType::Vec, int32_t, 1, count> tile;
  TEXPANDS(tile, 5);
  TSTORE(out_gm, tile);
}

/// The sum of one thread block.
PTO_CUDA_KERNEL void __launch_bounds__(count) sum_of(const int32_t* in, int32_t* sum) {
  using Reduce = cub::BlockReduce<int32_t, count>;
  __shared__ typename Reduce::TempStorage scratch;
  const int32_t total = Reduce(scratch).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *sum = total;
}

TEST(native_kernels, are_marked_by_a_word_of_their_own) {
  Device dev(ptox::target::cuda);
  auto values = dev.alloc<int32_t>(count), sum = dev.alloc<int32_t>(1);
  const ptox::Report report = dev.launch<fill>({}, values.data());
  EXPECT_TRUE(report.clean()) << report;
  sum_of<<<1, count>>>(values.data(), sum.data());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(sum[0], 5 * count);
}

}  // namespace
