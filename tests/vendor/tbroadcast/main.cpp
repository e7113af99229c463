// SPDX-License-Identifier: Apache-2.0
// Tests of TBROADCAST: every rank receives the root's tensor.
#include <gtest/gtest.h>

#include "common.hpp"
#include "test_common.h"

template <typename T, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTBroadcast(T* dst, T* src, int root, CommDeviceContext* ctx, void* stream);

template <typename T, int kRows, int kCols, int... kTile>
class TBroadcastTest {
 public:
  explicit TBroadcastTest(TestRank& rank)
      : rank_(rank),
        root_(rank.rankNum / 2),
        dst_(rank.Window<T>(kSize + kBehind)),
        src_(Values<T>(rank.rank, kSize)) {}

  void Prepare() { ToDevice(dst_, Values<T>(100 + rank_.rank, kSize + kBehind)); }

  void Launch() { LaunchTBroadcast<T, kRows, kCols, kTile...>(dst_, src_.data(), root_, rank_.device, rank_.stream); }

  void Check() {
    auto expected = Values<T>(100 + rank_.rank, kSize + kBehind);
    for (size_t i = 0; i < kSize; ++i) expected[i] = Value<T>(root_, i);
    ExpectSame(expected, ToHost(dst_, kSize + kBehind), rank_.rank);
  }

 private:
  static constexpr size_t kSize = kRows * kCols, kBehind = 64;
  TestRank& rank_;
  int root_;
  T* dst_;
  DeviceArray<T> src_;
};

TEST_ON_RANKS(TBroadcast, FloatOneTile, TBroadcastTest<float, 16, 32, 16, 32, 0>);
TEST_ON_RANKS(TBroadcast, FloatPingPong, TBroadcastTest<float, 27, 88, 8, 64, 1>);
TEST_ON_RANKS(TBroadcast, HalfOneTile, TBroadcastTest<aclFloat16, 16, 64, 16, 64, 0>);
TEST_ON_RANKS(TBroadcast, HalfPingPong, TBroadcastTest<aclFloat16, 64, 64, 16, 32, 1>);
TEST_ON_RANKS(TBroadcast, Int32Chunks, TBroadcastTest<int32_t, 10, 72, 4, 32, 0>);
TEST_ON_RANKS(TBroadcast, Int16PingPong, TBroadcastTest<int16_t, 32, 64, 8, 64, 1>);
TEST_ON_RANKS(TBroadcast, Uint8Chunks, TBroadcastTest<uint8_t, 12, 96, 5, 64, 0>);

int main(int argc, char** argv) {
  if (!CommMpiInit(&argc, &argv)) return 1;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  CommMpiFinalize();
  return result;
}
