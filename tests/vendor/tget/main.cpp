// SPDX-License-Identifier: Apache-2.0
// Tests of TGET: each rank copies the tensor of the next one.
#include <gtest/gtest.h>

#include "common.hpp"
#include "test_common.h"

template <typename T, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTGet(T* dst, T* src, int peer, CommDeviceContext* ctx, void* stream);

template <typename T, int kRows, int kCols, int... kTile>
class TGetTest {
 public:
  explicit TGetTest(TestRank& rank)
      : rank_(rank),
        peer_((rank.rank + 1) % rank.rankNum),
        src_(rank.Window<T>(kSize)),
        dst_(Values<T>(100 + rank.rank, kSize + kBehind)) {}

  void Prepare() { ToDevice(src_, Values<T>(rank_.rank, kSize)); }

  void Launch() { LaunchTGet<T, kRows, kCols, kTile...>(dst_.data(), src_, peer_, rank_.device, rank_.stream); }

  void Check() {
    auto expected = Values<T>(100 + rank_.rank, kSize + kBehind);
    for (size_t i = 0; i < kSize; ++i) expected[i] = Value<T>(peer_, i);
    ExpectSame(expected, dst_.host(), rank_.rank);
    ExpectSame(Values<T>(rank_.rank, kSize), ToHost(src_, kSize), rank_.rank);
  }

 private:
  static constexpr size_t kSize = kRows * kCols, kBehind = 64;
  TestRank& rank_;
  int peer_;
  T* src_;
  DeviceArray<T> dst_;
};

TEST_ON_RANKS(TGet, FloatOneTile, TGetTest<float, 16, 32, 16, 32, 0>);
TEST_ON_RANKS(TGet, FloatPingPong, TGetTest<float, 27, 88, 8, 64, 1>);
TEST_ON_RANKS(TGet, HalfChunks, TGetTest<aclFloat16, 64, 64, 16, 32, 0>);
TEST_ON_RANKS(TGet, Int32PingPong, TGetTest<int32_t, 10, 72, 4, 32, 1>);
TEST_ON_RANKS(TGet, Int16Chunks, TGetTest<int16_t, 33, 48, 16, 32, 0>);
TEST_ON_RANKS(TGet, Uint8PingPong, TGetTest<uint8_t, 12, 96, 5, 64, 1>);

int main(int argc, char** argv) {
  if (!CommMpiInit(&argc, &argv)) return 1;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  CommMpiFinalize();
  return result;
}
