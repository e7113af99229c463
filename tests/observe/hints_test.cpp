// SPDX-License-Identifier: Apache-2.0
// Hints are given for kernels that they can improve, and for no others.
#include "observe/hints.hpp"

#include <gtest/gtest.h>

#include "observe/launch_time.hpp"
#include "observe/operands.hpp"

namespace ptox::observe_test {
namespace {

using pto::Coalesce;
using pto::instr::Site;

/// The hints for a block that issues the instruction `times` times and then keeps V busy for `rest` cycles.
std::vector<std::string> hints(const Target& t, const char* mnemonic, const Measured& m, std::uint64_t rest = 0,
                               int times = 1) {
  Timeline time;
  time.start(t, 0);
  const Site site = Site::current();
  for (int i = 0; i < times; ++i) {
    time.scalar(mnemonic, site, m.cost.scalar, &m.work);
    time.work(m.pipe, mnemonic, site, m.cost, time.now(), &m.work);
  }
  time.work(PIPE_V, "tmov", Site::current(), {0, rest}, time.now());
  time.finish();
  return hints_of(time.take());
}

/// The first hint that contains the text, or "".
std::string find(const std::vector<std::string>& hints, const std::string& text) {
  for (const std::string& h : hints)
    if (h.find(text) != std::string::npos) return h;
  return "";
}

TEST(hints, conflict_last_that_scans_a_large_table) {
  const Measured large = scatter(target::a5, {64, 32, 65536}, distinct(64, 65536));
  const Measured small = scatter(target::a5, {64, 32, 64}, distinct(64, 64));
  const std::string hint = find(hints(target::a5, "mscatter", large), "scans");
  EXPECT_NE(hint.find("hints_test.cpp:"), std::string::npos);
  EXPECT_NE(hint.find("mscatter without a ScatterConflict, which is Last, scans 65,536 slots x 64 indices, about "
                      "131,072 of "),
            std::string::npos)
      << hint;
  EXPECT_NE(hint.find("spell ScatterConflict::Default (on a5 and cpu; a2a3 takes no spelled one)"), std::string::npos)
      << hint;
  EXPECT_EQ(find(hints(target::a5, "mscatter", small), "scans"), "");
  EXPECT_EQ(find(hints(target::a5, "mscatter", large, 10'000'000), "scans"), "") << "the rest takes longer";
  Measured spelled = large;
  spelled.work.last_spelled = true;
  EXPECT_NE(find(hints(target::a5, "mscatter", spelled), "mscatter with ScatterConflict::Last scans 65,536 slots"), "");
}

TEST(hints, elem_that_could_be_row) {
  const Lookup l{16, 32, 512, Coalesce::Elem};
  const Measured rows = gather(target::a2a3, l, counting(16 * 32));
  const Measured random = gather(target::a2a3, l, distinct(16 * 32, 512 * 32));
  const auto with_rows = hints(target::a2a3, "mgather", rows);
  EXPECT_NE(find(with_rows, "moves whole rows by Coalesce::Elem: the 32 indices of each row"), "");
  EXPECT_EQ(find(with_rows, "one by one"), "") << "one hint says it";
  EXPECT_EQ(find(hints(target::a2a3, "mgather", random), "moves whole rows"), "");
}

TEST(hints, elem_on_the_scalar_unit) {
  const Measured elem = gather(target::a2a3, {16, 32, 512, Coalesce::Elem}, distinct(16 * 32, 512 * 32));
  const Measured row = gather(target::a2a3, {16, 32, 512}, distinct(16, 512));
  EXPECT_NE(find(hints(target::a2a3, "mgather", elem), "moves 512 elements one by one on the scalar unit"), "");
  EXPECT_EQ(find(hints(target::a2a3, "mgather", elem, 10'000'000), "one by one"), "");
  EXPECT_EQ(find(hints(target::a2a3, "mgather", row), "one by one"), "");
}

TEST(hints, lanes_that_load_one_by_one) {
  const Lookup l{32, 32, 16384, Coalesce::Elem};
  const Measured apart = gather(target::a5, l, distinct(1024, 16384 * 32));
  std::vector<std::int32_t> near = counting(1024);
  std::swap(near[3], near[7]);
  EXPECT_NE(find(hints(target::a5, "mgather", apart), "the lanes load one by one"), "");
  EXPECT_EQ(find(hints(target::a5, "mgather", gather(target::a5, l, near)), "one by one"), "");
}

TEST(hints, bursts_that_are_too_short) {
  const Measured narrow = gather(target::a2a3, {64, 8, 512}, distinct(64, 512));
  const Measured wide = gather(target::a2a3, {64, 16, 512}, distinct(64, 512));
  EXPECT_NE(
      find(hints(target::a2a3, "mgather", narrow),
           "moves 2,048 bytes in 64 bursts of 32 bytes. Below 64 bytes a burst is mostly its own overhead; rows of "
           "64 bytes would be 32 bursts. Widen the rows, or lay them one after another"),
      "")
      << find(hints(target::a2a3, "mgather", narrow), "bursts");
  EXPECT_EQ(find(hints(target::a2a3, "mgather", wide), "bursts"), "");
}

TEST(hints, bursts_of_a_strided_load) {
  auto gm = Device(target::a2a3).alloc<float>(64 * 64);
  TensorDesc strided = table_of(gm.data(), 64, 8);
  const Measured packed = measured<pto::instr::Tload>(target::a2a3, {tile_of(64, 8, 0), strided, {}});
  strided.stride[3] = 64;
  const Measured loose = measured<pto::instr::Tload>(target::a2a3, {tile_of(64, 8, 0), strided, {}});
  EXPECT_EQ(find(hints(target::a2a3, "tload", packed), "bursts"), "") << "rows that follow one another are one burst";
  EXPECT_NE(find(hints(target::a2a3, "tload", loose), "64 bursts of 32 bytes"), "");
}

TEST(hints, a_launch_for_too_few_rows) {
  const Measured few = gather(target::a5, {8, 32, 512}, distinct(8, 512));
  const Measured many = gather(target::a5, {256, 128, 512}, distinct(256, 512));
  const std::string hint = find(hints(target::a5, "mgather", few, 0, 16), "launches lanes");
  EXPECT_NE(hint.find("launches lanes 16 times for at most 8 x 32 elements: the launch is about 21,536 of its 30,336"),
            std::string::npos)
      << hint;
  EXPECT_EQ(find(hints(target::a5, "mgather", many, 0, 2), "launches lanes"), "");
  EXPECT_EQ(find(hints(target::a5, "mgather", few), "launches lanes"), "") << "one launch is all there is";
}

/// The hints for alternating loads and moves that are ordered by flags with that id, `times` times.
std::vector<std::string> hints_of_turns(bool overlap, int times = 4, event_t id = 0) {
  Timeline t;
  t.start(target::a2a3, 0);
  const Site site = Site::current();
  for (int i = 0; i < times; ++i) {
    t.work(PIPE_MTE2, "tload", site, {0, 300}, t.now());
    t.set(PIPE_MTE2, PIPE_V, id, site, t.now());
    t.wait(PIPE_MTE2, PIPE_V, id, site, t.now());
    t.work(PIPE_V, "tmov", site, {0, 300}, t.now());
    if (overlap) continue;
    t.set(PIPE_V, PIPE_MTE2, id, site, t.now());
    t.wait(PIPE_V, PIPE_MTE2, id, site, t.now());
  }
  t.finish();
  return hints_of(t.take());
}

TEST(hints, pipes_that_take_turns) {
  const std::string hint = find(hints_of_turns(false), "Two tiles used alternately");
  EXPECT_NE(hint.find("hint: wait_flag makes MTE2 wait for "), std::string::npos) << hint;
  EXPECT_NE(hint.find("no pipe is busy more than 50 %"), std::string::npos) << hint;
  EXPECT_EQ(find(hints_of_turns(true), "Two tiles used alternately"), "");
}

TEST(hints, a_wait_that_nothing_can_overlap_is_not_worth_a_word) {
  EXPECT_TRUE(hints_of_turns(false, 1).empty()) << "a chain that runs once";
  EXPECT_TRUE(hints_of_turns(false, 4, 8).empty()) << "flags that an instruction sets by itself";
}

/// The hints for a load and a store with a barrier after each, `times` times.
std::vector<std::string> hints_of_barriers(int times) {
  Timeline t;
  t.start(target::a2a3, 0);
  for (int i = 0; i < times; ++i) {
    t.work(PIPE_MTE2, "tload", Site::current(), {0, 300}, t.now());
    t.barrier(PIPE_ALL, Site::current());
    t.work(PIPE_MTE3, "tstore", Site::current(), {0, 500}, t.now());
    t.barrier(PIPE_ALL, Site::current());
  }
  t.finish();
  return hints_of(t.take());
}

TEST(hints, barriers_that_make_pipes_take_turns) {
  const auto all = hints_of_barriers(4);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].find(
                "hint: pipe_barrier makes the kernel wait for 2,000 of 3,200 cycles until all pipes are done; no pipe "
                "is busy more than 63 %. Two tiles used alternately, with flags in place of the barrier, let the pipes "
                "overlap"),
            std::string::npos)
      << all[0];
  EXPECT_TRUE(hints_of_barriers(1).empty());
}

TEST(hints, a_share_reads_as_in_the_time_line) {
  LaunchTime time;
  time.total = 3200, time.mte3 = 2000;
  EXPECT_EQ(time_line(time), "time (estimate): 3,200 cycles; MTE3 63 %\n");
}

TEST(hints, a_block_without_time_has_none) { EXPECT_TRUE(hints_of({}).empty()); }

}  // namespace
}  // namespace ptox::observe_test
