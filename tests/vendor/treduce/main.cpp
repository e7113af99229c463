// SPDX-License-Identifier: Apache-2.0
// Tests of TREDUCE: the root has the values of ranks 0, 1, 2, ... combined in this order.
#include <gtest/gtest.h>

#include <algorithm>

#include "common.hpp"
#include "test_common.h"

using pto::comm::ReduceOp;

template <typename T, ReduceOp kOp, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTReduce(T* dst, T* src, int root, CommDeviceContext* ctx, void* stream);

// Float sums round, so that they depend on the order of ranks.
template <typename T>
T Operand(int rank, size_t i) {
  if constexpr (std::is_same_v<T, float>) return Value<T>(rank, i) * 0.37f;
  return Value<T>(rank, i);
}

template <typename T, ReduceOp kOp, int kRows, int kCols, int... kTile>
class TReduceTest {
 public:
  explicit TReduceTest(TestRank& rank)
      : rank_(rank), root_(rank.rankNum - 1), src_(rank.Window<T>(kSize)), dst_(Values<T>(100 + rank.rank, kSize)) {}

  void Prepare() {
    std::vector<T> src(kSize);
    for (size_t i = 0; i < kSize; ++i) src[i] = Operand<T>(rank_.rank, i);
    ToDevice(src_, src);
  }

  void Launch() { LaunchTReduce<T, kOp, kRows, kCols, kTile...>(dst_.data(), src_, root_, rank_.device, rank_.stream); }

  void Check() {
    auto expected = Values<T>(100 + rank_.rank, kSize);
    for (size_t i = 0; rank_.rank == root_ && i < kSize; ++i) {
      expected[i] = Operand<T>(0, i);
      for (int r = 1; r < rank_.rankNum; ++r) expected[i] = Combine(expected[i], Operand<T>(r, i));
    }
    ExpectSame(expected, dst_.host(), rank_.rank);
  }

 private:
  static T Combine(T a, T b) {
    if constexpr (kOp == ReduceOp::Sum) return static_cast<T>(a + b);
    if constexpr (kOp == ReduceOp::Max) return std::max(a, b);
    return std::min(a, b);
  }

  static constexpr size_t kSize = kRows * kCols;
  TestRank& rank_;
  int root_;
  T* src_;
  DeviceArray<T> dst_;
};

TEST_ON_RANKS(TReduce, FloatSumOneTile, TReduceTest<float, ReduceOp::Sum, 16, 32, 16, 32, 0>);
TEST_ON_RANKS(TReduce, FloatSumPingPong, TReduceTest<float, ReduceOp::Sum, 27, 88, 8, 64, 1>);
TEST_ON_RANKS(TReduce, FloatMaxChunks, TReduceTest<float, ReduceOp::Max, 32, 64, 8, 32, 0>);
TEST_ON_RANKS(TReduce, HalfSumPingPong, TReduceTest<aclFloat16, ReduceOp::Sum, 16, 64, 16, 64, 1>);
TEST_ON_RANKS(TReduce, HalfMinPingPong, TReduceTest<aclFloat16, ReduceOp::Min, 10, 80, 4, 32, 1>);
TEST_ON_RANKS(TReduce, Int32SumChunks, TReduceTest<int32_t, ReduceOp::Sum, 32, 64, 8, 32, 0>);
TEST_ON_RANKS(TReduce, Int32MinOneTile, TReduceTest<int32_t, ReduceOp::Min, 16, 32, 16, 32, 0>);
TEST_ON_RANKS(TReduce, Int16MaxPingPong, TReduceTest<int16_t, ReduceOp::Max, 33, 48, 16, 32, 1>);

int main(int argc, char** argv) {
  if (!CommMpiInit(&argc, &argv)) return 1;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  CommMpiFinalize();
  return result;
}
