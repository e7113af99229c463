// SPDX-License-Identifier: Apache-2.0
// TNOTIFY, TWAIT and TTEST make the work of one rank visible to another.
#include <gtest/gtest.h>

#include <cstdint>

#include "comm/on_ranks.hpp"
#include "launched.hpp"
#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ranks.hpp"

namespace {

using namespace pto;
using comm::NotifyOp;
using comm::Signal;
using comm::WaitCmp;
using comm_test::engines;
using comm_test::run_on;
using ptox::Rank;

using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 32, 1>>;
using Staging = Tile<TileType::Vec, float, 1, 32>;

static_assert(comm::compares(3, WaitCmp::EQ, 3) && !comm::compares(3, WaitCmp::EQ, 4));
static_assert(comm::compares(3, WaitCmp::NE, 4) && !comm::compares(3, WaitCmp::NE, 3));
static_assert(comm::compares(3, WaitCmp::GT, 2) && !comm::compares(3, WaitCmp::GT, 3));
static_assert(comm::compares(3, WaitCmp::GE, 3) && !comm::compares(3, WaitCmp::GE, 4));
static_assert(comm::compares(3, WaitCmp::LT, 4) && !comm::compares(3, WaitCmp::LT, 3));
static_assert(comm::compares(3, WaitCmp::LE, 3) && !comm::compares(3, WaitCmp::LE, 2));

/// Passes a row around the ring of ranks: each rank waits for its row, checks it, and puts a row with values increased
/// by one into the next rank.
void ring(Rank& r, int rounds) {
  const auto row = r.symmetric<float>(32);
  const auto flag = r.symmetric<std::int32_t>(1);
  auto own = r.device().alloc<float>(32);
  const int next = (r.id() + 1) % r.size();
  for (int round = 0; round < rounds; ++round) {
    if (r.id() != 0 || round > 0) {
      const ptox::Report waited = r.device().launch({}, [&] {
        Signal mine(flag.data());
        comm::TWAIT(mine, r.id() == 0 ? round : round + 1, WaitCmp::GE);
      });
      ASSERT_TRUE(waited.clean()) << waited;
      for (int i = 0; i < 32; ++i) ASSERT_EQ(row[i], static_cast<float>(round * r.size() + r.id()));
    }
    for (int i = 0; i < 32; ++i) own[i] = static_cast<float>(round * r.size() + r.id() + 1);
    const ptox::Report sent = r.device().launch({}, [&] {
      Row to(row.at(next)), from(own.data());
      Staging tile;
      Signal theirs(flag.at(next));
      comm::TPUT(to, from, tile);
      comm::TNOTIFY(theirs, 1, NotifyOp::AtomicAdd);
    });
    ASSERT_TRUE(sent.clean()) << sent;
  }
}

TEST(signals, what_was_put_before_a_notify_is_there_after_the_wait) {
  for (const ptox::Target* t : ptox::target::on_host)
    for (ptox::Engine engine : engines)
      for (int n : {2, 3, 4}) run_on(n, engine, [](Rank& r) { ring(r, 20); }, {.target = *t});
}

TEST(signals, no_atomic_add_is_lost) {
  constexpr int times = 200;
  for (ptox::Engine engine : engines)
    run_on(4, engine, [](Rank& r) {
      const auto count = r.symmetric<std::int32_t>(1);
      ptox::require_clean(r.device().launch({}, [&] {
        Signal all(count.at(0));
        for (int i = 0; i < times; ++i) comm::TNOTIFY(all, r.id() + 1, NotifyOp::AtomicAdd);
        if (r.id() == 0) comm::TWAIT(all, times * 10, WaitCmp::EQ);
      }));
    });
}

TEST(signals, a_wait_for_several_waits_for_each) {
  for (ptox::Engine engine : engines)
    run_on(4, engine, [](Rank& r) {
      const auto flags = r.symmetric<std::int32_t>(2 * 8);
      const ptox::Report report = r.device().launch({}, [&] {
        Signal mine(flags.at(0) + r.id() / 2 * 8 + r.id() % 2);
        comm::TNOTIFY(mine, 7, NotifyOp::Set);
        comm::Signal2D<2, 2> all(flags.at(0), 8);
        comm::TWAIT(all, 7, WaitCmp::EQ);
        EXPECT_TRUE(comm::TTEST(all, 7, WaitCmp::EQ));
        EXPECT_FALSE(comm::TTEST(all, 8, WaitCmp::GE));
      });
      EXPECT_TRUE(report.clean()) << report;
    });
}

TEST(signals, ttest_looks_and_goes_on) {
  for (ptox::Engine engine : engines)
    run_on(2, engine, [](Rank& r) {
      const auto flag = r.symmetric<std::int32_t>(1);
      const ptox::Report report = r.device().launch({}, [&] {
        Signal signal(flag.at(1));
        if (r.id() == 0) return comm::TNOTIFY(signal, 1, NotifyOp::Set);
        while (!comm::TTEST(signal, 1, WaitCmp::EQ)) {
        }
      });
      EXPECT_TRUE(report.clean()) << report;
    });
}

TEST(signals, outside_of_ranks_they_are_words_of_this_process) {
  for (const ptox::Target* t : ptox::target::on_host) {
    ptox::Device dev(*t);
    auto word = dev.alloc<std::int32_t>(1);
    const ptox::Report report = dev.launch({}, [&] {
      Signal signal(word.data());
      EXPECT_FALSE(comm::TTEST(signal, 5, WaitCmp::GE));
      comm::TNOTIFY(signal, 2, NotifyOp::Set);
      comm::TNOTIFY(signal, 3, NotifyOp::AtomicAdd);
      comm::TWAIT(signal, 5, WaitCmp::EQ);
    });
    EXPECT_TRUE(report.clean()) << report;
    EXPECT_EQ(word[0], 5);
  }
}

TEST(signals, a_notify_comes_after_everything_issued_before_it) {
  for (std::uint64_t seed = 1; seed < 20; ++seed)
    for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5}) {
      ptox::Device dev(*t);
      auto word = dev.alloc<std::int32_t>(1);
      auto from = dev.alloc<float>(32), to = dev.alloc<float>(32);
      from[5] = 1;
      const ptox::Report report = dev.launch({.seed = seed}, [&] {
        Row src(from.data()), dst(to.data());
        Staging tile;
        Signal signal(word.data());
        TLOAD(tile, src);
        set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        TSTORE(dst, tile);
        comm::TNOTIFY(signal, 1, NotifyOp::Set);
        EXPECT_EQ(to[5], 1.0f) << t->name << " seed " << seed;
      });
      EXPECT_TRUE(report.clean()) << report;
    }
}

}  // namespace
