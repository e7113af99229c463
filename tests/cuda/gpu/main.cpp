// SPDX-License-Identifier: Apache-2.0
// Runs the tests on a GPU and fails without one.
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>

#include "ptox/ptox.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    (void)ptox::Device(ptox::target::cuda).alloc<int>(1);  // throws if there is no GPU
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "tests for a GPU: nothing is tested, %s\n", e.what()), 1;
  }
  return RUN_ALL_TESTS();
}
