// SPDX-License-Identifier: Apache-2.0
// Tests of TPUT: each rank copies to the next one, or all ranks add to the last one.
#include <gtest/gtest.h>

#include "common.hpp"
#include "test_common.h"

using pto::AtomicType;

template <typename T, AtomicType kAtomic, int kRows, int kCols, int kTileRows, int kTileCols, int kPingPong>
void LaunchTPut(T* dst, T* src, int peer, CommDeviceContext* ctx, void* stream);

template <typename T, AtomicType kAtomic, int kRows, int kCols, int... kTile>
class TPutTest {
 public:
  explicit TPutTest(TestRank& rank)
      : rank_(rank), dst_(rank.Window<T>(kSize + kBehind)), src_(Values<T>(rank.rank, kSize)) {}

  void Prepare() { ToDevice(dst_, Values<T>(100 + rank_.rank, kSize + kBehind)); }

  void Launch() {
    const int peer = kAdds ? rank_.rankNum - 1 : (rank_.rank + 1) % rank_.rankNum;
    for (int round = 0; round < kRounds; ++round)
      LaunchTPut<T, kAtomic, kRows, kCols, kTile...>(dst_, src_.data(), peer, rank_.device, rank_.stream);
  }

  void Check() {
    auto expected = Values<T>(100 + rank_.rank, kSize + kBehind);
    const int before = (rank_.rank + rank_.rankNum - 1) % rank_.rankNum;
    for (size_t i = 0; i < kSize; ++i) {
      if constexpr (!kAdds) {
        expected[i] = Value<T>(before, i);
      } else if (rank_.rank == rank_.rankNum - 1) {
        for (int r = 0; r < kRounds * rank_.rankNum; ++r)
          expected[i] = static_cast<T>(expected[i] + Value<T>(r % rank_.rankNum, i));
      }
    }
    ExpectSame(expected, ToHost(dst_, kSize + kBehind), rank_.rank);
  }

 private:
  static constexpr bool kAdds = kAtomic == AtomicType::AtomicAdd;
  static constexpr int kRounds = kAdds ? 3 : 1;  // every sum is exact in half
  static constexpr size_t kSize = kRows * kCols, kBehind = 64;
  TestRank& rank_;
  T* dst_;
  DeviceArray<T> src_;
};

TEST_ON_RANKS(TPut, FloatOneTile, TPutTest<float, AtomicType::AtomicNone, 16, 32, 16, 32, 0>);
TEST_ON_RANKS(TPut, HalfPingPong, TPutTest<aclFloat16, AtomicType::AtomicNone, 27, 80, 8, 64, 1>);
TEST_ON_RANKS(TPut, Int16Chunks, TPutTest<int16_t, AtomicType::AtomicNone, 32, 64, 8, 32, 0>);
TEST_ON_RANKS(TPut, Uint8PingPong, TPutTest<uint8_t, AtomicType::AtomicNone, 12, 96, 5, 64, 1>);
TEST_ON_RANKS(TPut, FloatAdd, TPutTest<float, AtomicType::AtomicAdd, 16, 32, 16, 32, 0>);
TEST_ON_RANKS(TPut, FloatAddPingPong, TPutTest<float, AtomicType::AtomicAdd, 10, 72, 4, 32, 1>);
TEST_ON_RANKS(TPut, HalfAdd, TPutTest<aclFloat16, AtomicType::AtomicAdd, 16, 64, 16, 64, 0>);
TEST_ON_RANKS(TPut, Int32AddPingPong, TPutTest<int32_t, AtomicType::AtomicAdd, 32, 64, 8, 32, 1>);

int main(int argc, char** argv) {
  if (!CommMpiInit(&argc, &argv)) return 1;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  CommMpiFinalize();
  return result;
}
