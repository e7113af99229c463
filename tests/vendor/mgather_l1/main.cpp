// SPDX-License-Identifier: Apache-2.0
// Tests of MGATHER into L1: the valid rows of the tile, row by row or as their NZ image.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "test_common.h"

enum class Coalesce { Row, Elem };
enum class GatherOOB { Undefined, Clamp, Wrap, Zero };
using Launch = void (*)(uint8_t* out, uint8_t* table, int32_t* idx, uint8_t* scratch, void* stream);

template <typename T>
void RunTest(Launch launch, Coalesce mode, GatherOOB oob, size_t rows, size_t cols, size_t validRows,
             size_t tableRows) {
  constexpr size_t kC0 = 32 / sizeof(T);
  const bool byRow = mode == Coalesce::Row;
  const uint64_t capacity = byRow ? tableRows : tableRows * cols;
  const auto table = Values<T>(1, tableRows * cols);
  auto expected = Values<T>(2, rows * cols + 32);
  std::vector<int32_t> indices(byRow ? validRows : validRows * cols);
  for (size_t i = 0; i < indices.size(); ++i) {
    const bool outside = oob != GatherOOB::Undefined && i % 3 == 2;
    indices[i] = static_cast<int32_t>(outside ? capacity + i : (i * 7919 + 1) % capacity);
  }

  aclrtStream stream = nullptr;
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  {
    DeviceArray<T> tableDevice(table), outDevice(expected), scratchDevice(std::vector<T>(rows * cols));
    DeviceArray<int32_t> indexDevice(indices);
    launch(reinterpret_cast<uint8_t*>(outDevice.data()), reinterpret_cast<uint8_t*>(tableDevice.data()),
           indexDevice.data(), reinterpret_cast<uint8_t*>(scratchDevice.data()), stream);
    ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t i = 0; i < validRows * cols; ++i) {
      const size_t r = i / cols, c = i % cols;
      uint64_t at = indices[byRow ? r : i];
      const bool zero = oob == GatherOOB::Zero && at >= capacity;
      if (oob == GatherOOB::Clamp && at >= capacity) at = capacity - 1;
      if (oob == GatherOOB::Wrap) at %= capacity;
      const T value = zero ? T{} : table[byRow ? at * cols + c : at];
      expected[kOutIsNz ? (c / kC0 * validRows + r) * kC0 + c % kC0 : i] = value;
    }
    ExpectSame(expected, outDevice.host());
  }
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

#define CASE(NAME, T, HOST, MODE, OOB, ...)                                                                 \
  void LaunchMGATHER_L1_##NAME(uint8_t* out, uint8_t* table, int32_t* idx, uint8_t* scratch, void* stream); \
  TEST(MGATHER_L1, NAME) { RunTest<HOST>(LaunchMGATHER_L1_##NAME, Coalesce::MODE, GatherOOB::OOB, __VA_ARGS__); }

MGATHER_L1_CASES(CASE)

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
