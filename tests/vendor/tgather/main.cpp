// SPDX-License-Identifier: Apache-2.0
// Tests of TGATHER: rows r * H to (r + 1) * H of the root's tensor are those of rank r.
#include <gtest/gtest.h>

#include "common.hpp"
#include "test_common.h"

template <typename T, int kOuter, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTGather(T* dst, T* src, int root, CommDeviceContext* ctx, void* stream);

template <typename T, int kOuter, int kRows, int kCols, int... kTile>
class TGatherTest {
 public:
  explicit TGatherTest(TestRank& rank)
      : rank_(rank), src_(rank.Window<T>(kPart)), dst_(Values<T>(100 + rank.rank, kPart * rank.rankNum)) {}

  void Prepare() { ToDevice(src_, Values<T>(rank_.rank, kPart)); }

  void Launch() {
    LaunchTGather<T, kOuter, kRows, kCols, kTile...>(dst_.data(), src_, kRoot, rank_.device, rank_.stream);
  }

  void Check() {
    auto expected = Values<T>(100 + rank_.rank, kPart * rank_.rankNum);
    for (int r = 0; rank_.rank == kRoot && r < rank_.rankNum; ++r)
      for (int o = 0; o < kOuter; ++o)
        for (int i = 0; i < kRows * kCols; ++i)
          expected[(o * rank_.rankNum + r) * kRows * kCols + i] = Value<T>(r, o * kRows * kCols + i);
    ExpectSame(expected, dst_.host(), rank_.rank);
  }

 private:
  static constexpr int kRoot = 0;
  static constexpr size_t kPart = kOuter * kRows * kCols;
  TestRank& rank_;
  T* src_;
  DeviceArray<T> dst_;
};

TEST_ON_RANKS(TGather, FloatOneTile, TGatherTest<float, 1, 16, 32, 16, 32, 0>);
TEST_ON_RANKS(TGather, FloatOuterPingPong, TGatherTest<float, 2, 10, 72, 4, 32, 1>);
TEST_ON_RANKS(TGather, HalfPingPong, TGatherTest<aclFloat16, 1, 24, 64, 8, 64, 1>);
TEST_ON_RANKS(TGather, HalfChunks, TGatherTest<aclFloat16, 1, 17, 64, 8, 32, 0>);
TEST_ON_RANKS(TGather, Int32Chunks, TGatherTest<int32_t, 1, 32, 64, 8, 32, 0>);
TEST_ON_RANKS(TGather, Int16Outer, TGatherTest<int16_t, 2, 16, 64, 16, 64, 0>);
TEST_ON_RANKS(TGather, Uint8PingPong, TGatherTest<uint8_t, 1, 12, 96, 5, 64, 1>);

int main(int argc, char** argv) {
  if (!CommMpiInit(&argc, &argv)) return 1;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  CommMpiFinalize();
  return result;
}
