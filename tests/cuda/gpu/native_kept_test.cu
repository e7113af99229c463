// SPDX-License-Identifier: Apache-2.0
// With PTO_KEEP_GLOBAL, native CUDA kernels are written as usual, and a header of CUB may be included after those of
// PTO.
#define PTO_KEEP_GLOBAL
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"
// Included last, so that conflicts between its names and those of the headers above are detected.
#include <cub/device/device_reduce.cuh>

namespace {

using namespace pto;
using ptox::Device;

constexpr int count = 1024;

/// out = in + 1, in a tile.
AICORE void add_one_by_tile(__gm__ half* in, __gm__ half* out) {
  using Row = GlobalTensor<half, Shape<1, 1, 1, 1, count>, Stride<1, 1, 1, count, 1>>;
  Tile<TileType::Vec, half, 1, count> tile;
  Row in_gm(in), out_gm(out);
  TLOAD(tile, in_gm);
  for (int i = 0; i < 8; ++i) tile.SetValue(0, i, half(float(tile.GetValue(0, i)) + 1));
  TSTORE(out_gm, tile);
}

/// out = 2 * in, as a native CUDA kernel.
__global__ void twice(const half* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = 2 * static_cast<float>(in[i]);
}

float sum_of(const float* values, float* sum) {
  std::size_t bytes = 0;
  EXPECT_EQ(cub::DeviceReduce::Sum(nullptr, bytes, values, sum, count), cudaSuccess);
  void* scratch = nullptr;
  EXPECT_EQ(cudaMalloc(&scratch, bytes), cudaSuccess);
  EXPECT_EQ(cub::DeviceReduce::Sum(scratch, bytes, values, sum, count), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaFree(scratch), cudaSuccess);
  return *sum;
}

TEST(native_kernels, run_beside_those_of_pto_and_of_cub) {
  Device dev(ptox::target::cuda);
  auto in = dev.alloc<half>(count), out = dev.alloc<half>(count);
  auto doubled = dev.alloc<float>(count), sum = dev.alloc<float>(1);
  std::fill(in.begin(), in.end(), half(3));
  const ptox::Report report = dev.launch<add_one_by_tile>({}, in.data(), out.data());
  EXPECT_TRUE(report.clean()) << report;
  twice<<<count / 256, 256>>>(out.data(), doubled.data());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(sum_of(doubled.data(), sum.data()), 2 * (count * 3 + 8));
}

}  // namespace
