// SPDX-License-Identifier: Apache-2.0
// Is there a GPU to test on? Without one nothing is tested, and that is no success.
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>

#include "ptox/ptox.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    ptox::Device(ptox::target::cuda).alloc<int>(1);
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "tests for a GPU: nothing is tested, %s\n", e.what()), 1;
  }
  return RUN_ALL_TESTS();
}
