// SPDX-License-Identifier: Apache-2.0
// Tests of a lookup that is one block of rows with __CPU_SIM, else two.
#include <gtest/gtest.h>

#include "test_common.h"

template <typename T>
void LaunchLookup(T* out, T* table, int32_t* idx, int blockRows, int cols, int tableRows, void* stream);

template <typename T>
class Lookup : public testing::Test {};
using Elements = testing::Types<float, aclFloat16, int8_t>;
TYPED_TEST_SUITE(Lookup, Elements);

template <typename T>
void RunTest(int blockRows, int cols, int tableRows) {
#ifdef __CPU_SIM
  const int rows = blockRows;  // a plain call is one block
#else
  const int rows = 2 * blockRows;
#endif
  const auto table = Values<T>(3, tableRows * cols);
  std::vector<int32_t> indices(rows);
  for (int r = 0; r < rows; ++r) indices[r] = r * 7 % (tableRows + 5);
  auto expected = Values<T>(4, rows * cols + 32);

  aclrtStream stream = nullptr;
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  {
    DeviceArray<T> tableDevice(table), outDevice(expected);
    DeviceArray<int32_t> indexDevice(indices);
    LaunchLookup<T>(outDevice.data(), tableDevice.data(), indexDevice.data(), blockRows, cols, tableRows, stream);
    ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c)
        expected[r * cols + c] = indices[r] < tableRows ? table[indices[r] * cols + c] : T{};
    ExpectSame(expected, outDevice.host());
  }
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TYPED_TEST(Lookup, FullTile) { RunTest<TypeParam>(16, 64, 40); }
TYPED_TEST(Lookup, FewRows) { RunTest<TypeParam>(3, 64, 11); }
TYPED_TEST(Lookup, FewColumns) { RunTest<TypeParam>(9, 33, 6); }
TYPED_TEST(Lookup, OneRow) { RunTest<TypeParam>(1, 1, 9); }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
