// SPDX-License-Identifier: Apache-2.0
// Tests of TNOTIFY and TWAIT.
#include <gtest/gtest.h>

#include "common.hpp"
#include "relay.hpp"
#include "test_common.h"

using pto::comm::WaitCmp;

void LaunchSetNext(int32_t* signal, int32_t value, CommDeviceContext* ctx, void* stream);
template <int kRows, int kCols>
void LaunchAddToAll(int32_t* signals, int stride, int32_t value, CommDeviceContext* ctx, void* stream);
template <WaitCmp kCmp>
void LaunchRelay(int32_t* signal, float* rows, float* own, CommDeviceContext* ctx, void* stream);

class SetTest {
 public:
  explicit SetTest(TestRank& rank) : rank_(rank), signal_(rank.Window<int32_t>(1)) {}
  void Prepare() { ToDevice(signal_, {-1}); }
  void Launch() { LaunchSetNext(signal_, 100 * rank_.rank + 7, rank_.device, rank_.stream); }
  void Check() {
    const int before = (rank_.rank + rank_.rankNum - 1) % rank_.rankNum;
    EXPECT_EQ(ToHost(signal_, 1)[0], 100 * before + 7) << "rank " << rank_.rank;
  }

 private:
  TestRank& rank_;
  int32_t* signal_;
};

template <int kRows, int kCols, int kStride>
class AddTest {
 public:
  explicit AddTest(TestRank& rank) : rank_(rank), signals_(rank.Window<int32_t>(kSize)) {}
  void Prepare() { ToDevice(signals_, Values<int32_t>(rank_.rank, kSize)); }
  void Launch() { LaunchAddToAll<kRows, kCols>(signals_, kStride, rank_.rank + 1, rank_.device, rank_.stream); }
  void Check() {
    auto expected = Values<int32_t>(rank_.rank, kSize);
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kCols; ++j) expected[i * kStride + j] += rank_.rankNum * (rank_.rankNum + 1) / 2;
    ExpectSame(expected, ToHost(signals_, kSize), rank_.rank);
  }

 private:
  static constexpr size_t kSize = kRows * kStride + 8;
  TestRank& rank_;
  int32_t* signals_;
};

template <WaitCmp kCmp>
class RelayTest {
 public:
  explicit RelayTest(TestRank& rank)
      : rank_(rank),
        signal_(rank.Window<int32_t>(1)),
        rows_(rank.Window<float>(kSize)),
        own_(Values<float>(rank.rank, kRelayCols)) {}

  void Prepare() {
    ToDevice(signal_, {kRelayBefore});
    ToDevice(rows_, std::vector<float>(kSize));
  }

  void Launch() { LaunchRelay<kCmp>(signal_, rows_, own_.data(), rank_.device, rank_.stream); }

  void Check() {
    const int received = rank_.rank == 0 ? rank_.rankNum : rank_.rank;
    std::vector<float> expected(kSize);
    for (int r = 0; r < received; ++r)
      for (int j = 0; j < kRelayCols; ++j) expected[r * kRelayCols + j] = Value<float>(r, j);
    ExpectSame(expected, ToHost(rows_, kSize), rank_.rank);
    EXPECT_EQ(ToHost(signal_, 1)[0], RelaySignal(kCmp).sent) << "rank " << rank_.rank;
  }

 private:
  static constexpr size_t kSize = kRelayRows * kRelayCols;
  TestRank& rank_;
  int32_t* signal_;
  float* rows_;
  DeviceArray<float> own_;
};

TEST_ON_RANKS(TNotify, Set, SetTest);
TEST_ON_RANKS(TNotify, AddOne, AddTest<1, 1, 1>);
TEST_ON_RANKS(TNotify, AddMatrix, AddTest<3, 5, 8>);
TEST_ON_RANKS(TWait, EqualTo, RelayTest<WaitCmp::EQ>);
TEST_ON_RANKS(TWait, NotEqualTo, RelayTest<WaitCmp::NE>);
TEST_ON_RANKS(TWait, GreaterThan, RelayTest<WaitCmp::GT>);
TEST_ON_RANKS(TWait, GreaterOrEqual, RelayTest<WaitCmp::GE>);
TEST_ON_RANKS(TWait, LessThan, RelayTest<WaitCmp::LT>);
TEST_ON_RANKS(TWait, LessOrEqual, RelayTest<WaitCmp::LE>);

int main(int argc, char** argv) {
  if (!CommMpiInit(&argc, &argv)) return 1;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  CommMpiFinalize();
  return result;
}
