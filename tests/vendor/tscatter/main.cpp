// SPDX-License-Identifier: Apache-2.0
// Tests of TSCATTER: rank r receives rows r * H to (r + 1) * H of the root's tensor.
#include <gtest/gtest.h>

#include "common.hpp"
#include "test_common.h"

template <typename T, int kOuter, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTScatter(T* dst, T* src, int root, CommDeviceContext* ctx, void* stream);

template <typename T, int kOuter, int kRows, int kCols, int... kTile>
class TScatterTest {
 public:
  explicit TScatterTest(TestRank& rank)
      : rank_(rank),
        root_(rank.rankNum - 1),
        dst_(rank.Window<T>(kPart + kBehind)),
        src_(Values<T>(rank.rank, kPart * rank.rankNum)) {}

  void Prepare() { ToDevice(dst_, Values<T>(100 + rank_.rank, kPart + kBehind)); }

  void Launch() {
    LaunchTScatter<T, kOuter, kRows, kCols, kTile...>(dst_, src_.data(), root_, rank_.device, rank_.stream);
  }

  void Check() {
    auto expected = Values<T>(100 + rank_.rank, kPart + kBehind);
    for (int o = 0; o < kOuter; ++o)
      for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kCols; ++j) {
          const int row = (o * rank_.rankNum + rank_.rank) * kRows + i;
          expected[(o * kRows + i) * kCols + j] = Value<T>(root_, row * kCols + j);
        }
    ExpectSame(expected, ToHost(dst_, kPart + kBehind), rank_.rank);
  }

 private:
  static constexpr size_t kPart = kOuter * kRows * kCols, kBehind = 64;
  TestRank& rank_;
  int root_;
  T* dst_;
  DeviceArray<T> src_;
};

TEST_ON_RANKS(TScatter, FloatOneTile, TScatterTest<float, 1, 16, 32, 16, 32, 0>);
TEST_ON_RANKS(TScatter, FloatChunks, TScatterTest<float, 1, 32, 64, 8, 32, 0>);
TEST_ON_RANKS(TScatter, FloatOuterPingPong, TScatterTest<float, 2, 10, 72, 4, 32, 1>);
TEST_ON_RANKS(TScatter, HalfOneTile, TScatterTest<aclFloat16, 1, 16, 64, 16, 64, 0>);
TEST_ON_RANKS(TScatter, HalfPingPong, TScatterTest<aclFloat16, 1, 24, 64, 8, 64, 1>);
TEST_ON_RANKS(TScatter, Int32OuterChunks, TScatterTest<int32_t, 2, 9, 40, 4, 32, 0>);
TEST_ON_RANKS(TScatter, Int16PingPong, TScatterTest<int16_t, 1, 33, 48, 16, 32, 1>);
TEST_ON_RANKS(TScatter, Uint8PingPong, TScatterTest<uint8_t, 1, 12, 96, 5, 64, 1>);

int main(int argc, char** argv) {
  if (!CommMpiInit(&argc, &argv)) return 1;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  CommMpiFinalize();
  return result;
}
