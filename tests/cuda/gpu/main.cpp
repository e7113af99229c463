// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  int devices = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no CUDA device: %s. These tests need one\n", cudaGetErrorString(code));
    return 1;
  }
  return RUN_ALL_TESTS();
}
