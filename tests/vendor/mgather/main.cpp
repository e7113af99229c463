// SPDX-License-Identifier: Apache-2.0
// Tests of MGATHER: dst[r, :] = table[idx[r], :] and dst[r, c] = table[idx[r, c]].
#include <gtest/gtest.h>

#include "cases.hpp"
#include "test_common.h"

enum class Coalesce { Row, Elem };
enum class GatherOOB { Undefined, Clamp, Wrap, Zero };

// Every third index is out of range, unless that is undefined.
template <typename TIdx>
std::vector<TIdx> Indices(size_t count, uint64_t capacity, GatherOOB oob) {
  std::vector<TIdx> indices(count);
  for (size_t i = 0; i < count; ++i) {
    const bool outside = oob != GatherOOB::Undefined && i % 3 == 2;
    const uint64_t inside = (i * 2654435761u + capacity / 2) % capacity;
    indices[i] = static_cast<TIdx>(outside ? capacity + i % (3 * capacity) : inside);
  }
  return indices;
}

template <typename T, typename TIdx>
void RunTest(void (*launch)(uint8_t*, uint8_t*, uint8_t*, void*), Coalesce mode, GatherOOB oob, size_t rows,
             size_t cols, size_t tableRows) {
  const uint64_t capacity = mode == Coalesce::Row ? tableRows : tableRows * cols;
  const auto table = Values<T>(1, tableRows * cols);
  const auto indices = Indices<TIdx>(mode == Coalesce::Row ? rows : rows * cols, capacity, oob);
  auto expected = Values<T>(2, rows * cols + 32);

  aclrtStream stream = nullptr;
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  {
    DeviceArray<T> tableDevice(table), outDevice(expected);
    DeviceArray<TIdx> indexDevice(indices);
    launch(reinterpret_cast<uint8_t*>(outDevice.data()), reinterpret_cast<uint8_t*>(tableDevice.data()),
           reinterpret_cast<uint8_t*>(indexDevice.data()), stream);
    ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t i = 0; i < rows * cols; ++i) {
      uint64_t at = indices[mode == Coalesce::Row ? i / cols : i];
      const bool zero = oob == GatherOOB::Zero && at >= capacity;
      if (oob == GatherOOB::Clamp && at >= capacity) at = capacity - 1;
      if (oob == GatherOOB::Wrap) at %= capacity;
      expected[i] = zero ? T{} : table[mode == Coalesce::Row ? at * cols + i % cols : at];
    }
    ExpectSame(expected, outDevice.host());
  }
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

#define CASE(NAME, T, HOST, TIDX, MODE, OOB, ...)                                      \
  void LaunchMGATHER_##NAME(uint8_t* out, uint8_t* table, uint8_t* idx, void* stream); \
  TEST(MGATHER, NAME) { RunTest<HOST, TIDX>(LaunchMGATHER_##NAME, Coalesce::MODE, GatherOOB::OOB, __VA_ARGS__); }

MGATHER_CASES(CASE)
#ifndef MEMORY_BASE
MGATHER_A5_CASES(CASE)
#endif

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
