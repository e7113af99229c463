// SPDX-License-Identifier: Apache-2.0
// Pipes overlap, wait and synchronise in the estimate as on the machine.
#include "observe/timeline.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "observe/launch_time.hpp"
#include "ptox/ptox.hpp"

namespace ptox {
namespace {

using pto::instr::Site;

/// A timeline in which every instruction is issued and executed immediately.
struct Clocks {
  Timeline t;
  explicit Clocks(const Target& target = target::a2a3) { t.start(target, 0); }

  void run(pipe_t pipe, std::uint64_t cycles, Site site = Site::current()) {
    t.work(pipe, "work", site, {0, cycles}, t.now());
  }
  void set(pipe_t src, pipe_t dst, event_t id = 0, Site site = Site::current()) { t.set(src, dst, id, site, t.now()); }
  void wait(pipe_t src, pipe_t dst, event_t id = 0, Site site = Site::current()) {
    t.wait(src, dst, id, site, t.now());
  }
  void after(pipe_t src, pipe_t dst, event_t id = 0) { set(src, dst, id), wait(src, dst, id); }
  BlockTime done() {
    t.finish();
    return t.take();
  }
};

TEST(timeline, two_pipes_overlap) {
  Clocks c;
  c.run(PIPE_MTE2, 300);
  c.run(PIPE_V, 200);
  const BlockTime b = c.done();
  EXPECT_EQ(b.end, 300u);
  EXPECT_EQ(b.busy[PIPE_MTE2], 300u);
  EXPECT_EQ(b.busy[PIPE_V], 200u);
}

TEST(timeline, one_pipe_is_in_order) {
  Clocks c;
  c.run(PIPE_MTE2, 300);
  c.run(PIPE_MTE2, 200);
  EXPECT_EQ(c.done().end, 500u);
}

TEST(timeline, a_wait_delays_its_pipe_alone) {
  Clocks c;
  c.run(PIPE_MTE2, 300);
  c.after(PIPE_MTE2, PIPE_V);
  c.run(PIPE_V, 200);
  c.run(PIPE_MTE3, 50);
  EXPECT_EQ(c.t.now(), 0u) << "S goes on";
  const BlockTime b = c.done();
  EXPECT_EQ(b.end, 300 + 1 + 1 + 200u);
  EXPECT_EQ(b.busy[PIPE_V], 200u) << "waiting is not busy";
}

TEST(timeline, a_flag_set_long_ago_holds_nothing) {
  Clocks c;
  c.run(PIPE_MTE2, 10);
  c.set(PIPE_MTE2, PIPE_V);
  c.run(PIPE_V, 500);
  c.wait(PIPE_MTE2, PIPE_V);
  EXPECT_EQ(c.done().end, 501u);
}

TEST(timeline, flags_are_told_apart_and_matched_in_order) {
  Clocks c;
  c.run(PIPE_MTE2, 100);
  c.set(PIPE_MTE2, PIPE_V, 0);
  c.run(PIPE_MTE2, 100);
  c.set(PIPE_MTE2, PIPE_V, 1);
  c.run(PIPE_MTE2, 100);
  c.set(PIPE_MTE2, PIPE_V, 0);
  c.wait(PIPE_MTE2, PIPE_V, 0);
  c.run(PIPE_V, 1);
  c.set(PIPE_V, PIPE_S, 2);
  c.wait(PIPE_V, PIPE_S, 2);
  EXPECT_EQ(c.t.now(), 101 + 1 + 1 + 1 + 1u) << "the first set of id 0";
  c.wait(PIPE_MTE2, PIPE_V, 0);
  EXPECT_EQ(c.done().end, 303 + 1u);
}

TEST(timeline, a_wait_of_s_holds_what_is_issued_later) {
  Clocks c;
  c.run(PIPE_MTE2, 300);
  c.after(PIPE_MTE2, PIPE_S);
  EXPECT_EQ(c.t.now(), 302u);
  c.run(PIPE_V, 10);
  EXPECT_EQ(c.done().end, 312u);
}

TEST(timeline, a_barrier_of_all_pipes_joins_them_in_s) {
  Clocks c;
  c.run(PIPE_MTE2, 300);
  c.run(PIPE_V, 400);
  c.t.barrier(PIPE_V);
  EXPECT_EQ(c.t.now(), 0u);
  c.t.barrier(PIPE_ALL);
  EXPECT_EQ(c.t.now(), 400u);
  c.run(PIPE_MTE2, 100);
  EXPECT_EQ(c.done().end, 500u);
}

TEST(timeline, ping_pong_takes_less_than_the_sum) {
  const auto kernel = [](bool two_tiles) {
    Clocks c;
    for (int i = 0; i < 8; ++i) {
      const event_t tile = two_tiles ? i % 2 : 0;
      if (i >= (two_tiles ? 2 : 1)) c.wait(PIPE_V, PIPE_MTE2, tile);
      c.run(PIPE_MTE2, 100);
      c.after(PIPE_MTE2, PIPE_V, tile);
      c.run(PIPE_V, 100);
      c.set(PIPE_V, PIPE_MTE2, tile);
    }
    return c.done().end;
  };
  EXPECT_GE(kernel(false), 1600u);
  EXPECT_LT(kernel(true), 1000u);
}

TEST(timeline, a_pipe_begins_with_the_first_row_and_ends_after_the_last) {
  Clocks c;
  c.t.scalar("mgather", Site::current(), 500);
  c.t.work(PIPE_MTE2, "mgather", Site::current(), {500, 200}, c.t.now());
  EXPECT_EQ(c.done().end, 500u) << "the rows were moved while S issued them";
  Clocks d;
  d.t.scalar("mgather", Site::current(), 500);
  d.t.work(PIPE_MTE2, "mgather", Site::current(), {500, 2000}, d.t.now());
  EXPECT_EQ(d.done().end, 2000u);
}

TEST(timeline, what_runs_late_was_still_issued_early) {
  Clocks c;
  const std::uint64_t issued = c.t.now();
  c.t.scalar("work", Site::current(), 1000);
  c.t.work(PIPE_V, "work", Site::current(), {0, 100}, issued);
  EXPECT_EQ(c.done().end, 1000u);
}

TEST(timeline, a_wait_for_nothing_takes_no_time) {
  Clocks c;
  c.wait(PIPE_MTE2, PIPE_V);
  EXPECT_EQ(c.done().end, 0u);
}

TEST(timeline, the_host_has_no_clock) {
  Clocks c(target::cpu);
  c.run(PIPE_S, 100), c.run(PIPE_V, 100), c.after(PIPE_V, PIPE_S), c.t.ub_use(5), c.t.barrier(PIPE_ALL);
  const BlockTime b = c.done();
  EXPECT_EQ(b.end, 0u);
  EXPECT_TRUE(b.events.empty());
}

TEST(timeline, calls_of_one_line_are_counted_together) {
  Clocks c;
  for (int i = 0; i < 5; ++i) c.run(PIPE_V, 10);
  c.run(PIPE_V, 10);
  const BlockTime b = c.done();
  ASSERT_EQ(b.calls.size(), 2u);
  EXPECT_EQ(b.calls[0].count, 5);
  EXPECT_EQ(b.calls[0].cycles, 50u);
}

TEST(timeline, events_are_bounded) {
  Timeline t;
  t.start(target::a5, 3, 10);
  for (int i = 0; i < 100; ++i) t.work(PIPE_V, "work", Site::current(), {0, 1}, t.now());
  t.finish();
  const BlockTime b = t.take();
  EXPECT_EQ(b.events.size(), 10u);
  EXPECT_TRUE(b.cut);
  EXPECT_EQ(b.end, 100u) << "the clock goes on";
}

TEST(timeline, a_block_begins_at_zero) {
  Clocks c;
  c.run(PIPE_V, 100), c.set(PIPE_V, PIPE_S);
  c.done();
  c.t.start(target::a2a3, 1);
  c.wait(PIPE_V, PIPE_S);
  const BlockTime b = c.done();
  EXPECT_EQ(b.end, 0u);
  EXPECT_EQ(b.block, 1);
}

BlockTime block(int number, std::uint64_t cycles) {
  Timeline t;
  t.start(target::a2a3, number);
  t.scalar("work", Site::current(), cycles / 4);
  t.work(PIPE_MTE2, "work", Site::current(), {0, cycles}, 0);
  t.finish();
  return t.take();
}

TEST(launch_time, is_that_of_the_block_that_ends_last) {
  const LaunchTime t = joined({block(2, 100), block(0, 400), block(1, 300)});
  EXPECT_EQ(t.total, 400u);
  EXPECT_EQ(t.mte2, 400u);
  EXPECT_EQ(t.s, 100u);
  EXPECT_EQ(time_line(t), "time (estimate): 400 cycles; MTE2 100 %, S 25 %\n");
}

TEST(launch_time, of_nothing_is_nothing) {
  EXPECT_EQ(joined({}).total, 0u);
  EXPECT_EQ(time_line(joined({})), "");
}

TEST(report, tells_the_time_in_text_and_json) {
  LaunchTime t = joined({block(0, 12345)});
  t.hints = {"k.cpp:7: hint: \"go\""};
  Report r("a2a3", "k", 1, {});
  r.set_time(t);
  EXPECT_EQ(r.cycles(), 12345u);
  EXPECT_TRUE(r.clean());
  ::testing::internal::CaptureStdout();
  std::cout << r << std::flush;
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "k.cpp:7: hint: \"go\"\ntime (estimate): 12,345 cycles; MTE2 100 %, S 25 %\na2a3, 1 block: clean\n");
  EXPECT_NE(r.json().find(
                "\"hints\": [\"k.cpp:7: hint: \\\"go\\\"\"],\n \"cycles\": {\"S\": 3086, \"V\": 0, \"MTE2\": 12345, "
                "\"MTE3\": 0, \"total\": 12345}}"),
            std::string::npos)
      << r.json();
}

}  // namespace
}  // namespace ptox
