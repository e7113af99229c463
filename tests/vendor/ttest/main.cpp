// SPDX-License-Identifier: Apache-2.0
// Tests of TTEST.
#include <gtest/gtest.h>

#include "common.hpp"
#include "test_common.h"

void LaunchCompare(int32_t* results, int32_t* signals, int32_t threshold, void* stream);
void LaunchPoll(int32_t* out, int32_t* inbox, int32_t* own, int32_t* signal, CommDeviceContext* ctx, void* stream);

// The threshold depends on the rank; the signals are one below it, equal to it and one above it.
class CompareTest {
 public:
  explicit CompareTest(TestRank& rank)
      : rank_(rank), signals_(rank.Window<int32_t>(3)), results_(std::vector<int32_t>(32, 5)) {}

  void Prepare() { ToDevice(signals_, {rank_.rank - 1, rank_.rank, rank_.rank + 1}); }
  void Launch() { LaunchCompare(results_.data(), signals_, rank_.rank, rank_.stream); }

  void Check() {
    std::vector<int32_t> expected(32, -1);
    for (int k = 0; k < 3; ++k) {
      const int s = k - 1;  // signal - threshold
      const bool holds[] = {s == 0, s != 0, s > 0, s >= 0, s < 0, s <= 0};
      for (int cmp = 0; cmp < 6; ++cmp) expected[6 * k + cmp] = holds[cmp] ? 1 : 0;
    }
    ExpectSame(expected, results_.host(), rank_.rank);
  }

 private:
  TestRank& rank_;
  int32_t* signals_;
  DeviceArray<int32_t> results_;
};

class PollTest {
 public:
  explicit PollTest(TestRank& rank)
      : rank_(rank),
        signal_(rank.Window<int32_t>(1)),
        inbox_(rank.Window<int32_t>(32)),
        own_(Values<int32_t>(rank.rank, 32)),
        out_(Values<int32_t>(100 + rank.rank, 32)) {}

  void Prepare() {
    ToDevice(signal_, {0});
    ToDevice(inbox_, std::vector<int32_t>(32));
  }

  void Launch() { LaunchPoll(out_.data(), inbox_, own_.data(), signal_, rank_.device, rank_.stream); }

  void Check() {
    const int before = (rank_.rank + rank_.rankNum - 1) % rank_.rankNum;
    EXPECT_EQ(ToHost(signal_, 1)[0], before + 1) << "rank " << rank_.rank;
    ExpectSame(Values<int32_t>(before, 32), ToHost(inbox_, 32), rank_.rank);
    ExpectSame(Values<int32_t>(rank_.rank == 0 ? 100 : before, 32), out_.host(), rank_.rank);
  }

 private:
  TestRank& rank_;
  int32_t* signal_;
  int32_t* inbox_;
  DeviceArray<int32_t> own_, out_;
};

TEST_ON_RANKS(TTest, Comparisons, CompareTest);
TEST_ON_N_RANKS(TTest, Poll_2Ranks, 2, PollTest)
TEST_ON_N_RANKS(TTest, Poll_3Ranks, 3, PollTest)
TEST_ON_N_RANKS(TTest, Poll_4Ranks, 4, PollTest)
TEST_ON_N_RANKS(TTest, Poll_8Ranks, 8, PollTest)

int main(int argc, char** argv) {
  if (!CommMpiInit(&argc, &argv)) return 1;
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  CommMpiFinalize();
  return result;
}
