// SPDX-License-Identifier: Apache-2.0
// With a seed, pipes run ahead of each other as far as flags permit.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bad/parts.hpp"
#include "corpus.hpp"
#include "launched.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

/// The result of a launch: the contents of global memory, and the findings.
struct Outcome {
  std::vector<float> table, out;
  std::vector<std::int32_t> idx, ints;
  std::string findings;
  bool same_memory(const Outcome& o) const {
    return table == o.table && out == o.out && idx == o.idx && ints == o.ints;
  }
  bool operator==(const Outcome&) const = default;
};

Outcome run(const Target& target, const std::function<void(Memory&)>& kernel, LaunchOptions options, std::uint64_t seed,
            Check check = Check::all) {
  Device dev(target, {check});
  Memory memory(dev);
  options.seed = seed;
  const Report r = dev.launch(options, [&] { kernel(memory); });
  Outcome o{{memory.table.begin(), memory.table.end()},
            {memory.out.begin(), memory.out.end()},
            {memory.idx.begin(), memory.idx.end()},
            {memory.ints.begin(), memory.ints.end()},
            {}};
  for (const Finding& f : r.findings()) o.findings += f.id + " " + std::to_string(f.line) + "\n";
  return o;
}

constexpr std::uint64_t seeds = 12;

TEST(schedule, good_kernels_are_clean_and_give_the_same_bytes_under_every_seed) {
  for (const Kernel& k : good())
    for (const Target* t : k.targets) {
      if (t->native) continue;
      const Outcome plain = run(*t, k.run, k.options, 0);
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Outcome o = run(*t, k.run, k.options, seed);
        EXPECT_TRUE(o.same_memory(plain)) << k.name << " on " << t->name << " with seed " << seed;
        EXPECT_EQ(o.findings, plain.findings) << k.name << " on " << t->name << " with seed " << seed;
      }
    }
}

// Checks for the main kind of finding of each kernel; further findings depend on the order that the seed selects.
TEST(schedule, bad_kernels_are_found_under_every_seed) {
  for (const Kernel& k : bad())
    for (const Target* t : k.targets)
      for (std::uint64_t seed = 1; !t->native && seed <= seeds; ++seed) {
        const std::string found = run(*t, k.run, k.options, seed).findings;
        // If the other block reads first, its data is not stale, but the race is reported.
        const bool raced = k.is_about(FindingKind::stale_cache) && k.options.blocks > 1 &&
                           found.find(name(FindingKind::race)) != std::string::npos;
        EXPECT_TRUE(raced || found.find(name(k.expect.front().kind)) != std::string::npos)
            << k.name << " on " << t->name << " with seed " << seed << "\n"
            << found;
      }
}

TEST(schedule, the_same_seed_gives_the_same_bytes_and_findings) {
  for (const Kernel& k : bad())
    for (const Target* t : k.targets)
      for (std::uint64_t seed = 3; !t->native && seed < 5; ++seed)
        EXPECT_EQ(run(*t, k.run, k.options, seed), run(*t, k.run, k.options, seed)) << k.name;
}

void store_before_gather_is_done(Memory& m) {
  Views g(m);
  Rows8 dst;
  Index8 idx;
  fetch(idx, g.idx);
  MGATHER<Coalesce::Row>(dst, g.table, idx);
  TSTORE(g.out, dst);  // on a5, the flag from V to MTE3 is missing
}

void load_over_a_store(Memory& m) {
  Views g(m);
  Rows8 tile;
  TLOAD(tile, g.rows);
  after(PIPE_MTE2, PIPE_MTE3);
  TSTORE(g.out, tile);
  Matrix<float, 8, 32> other(m.table.data() + 256);
  TLOAD(tile, other);  // the flag from MTE3 to MTE2 is missing
}

void index_before_its_load(Memory& m) {
  Views g(m);
  Rows8 dst;
  Index8 idx;
  TLOAD(idx, g.idx);
  MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, g.table, idx);  // the flag from MTE2 to V is missing
  after(PIPE_V, PIPE_MTE3, EVENT_ID1);
  TSTORE(g.out, dst);
}

int seeds_with_other_bytes(const Target& target, const std::function<void(Memory&)>& kernel) {
  const Outcome plain = run(target, kernel, {}, 0);
  int other = 0;
  for (std::uint64_t seed = 1; seed <= 64; ++seed)
    other += !run(target, kernel, {}, seed, Check::off).same_memory(plain);
  return other;
}

TEST(schedule, a_missing_flag_can_give_the_wrong_bytes) {
  EXPECT_GT(seeds_with_other_bytes(target::a5, store_before_gather_is_done), 0);
  EXPECT_GT(seeds_with_other_bytes(target::a5, index_before_its_load), 0);
  EXPECT_GT(seeds_with_other_bytes(target::a2a3, index_before_its_load), 0);
  EXPECT_GT(seeds_with_other_bytes(target::a2a3, load_over_a_store), 0);
  EXPECT_GT(seeds_with_other_bytes(target::a5, load_over_a_store), 0);
}

TEST(schedule, a_gather_of_a2a3_orders_the_store_by_its_own_flags) {
  EXPECT_EQ(seeds_with_other_bytes(target::a2a3, store_before_gather_is_done), 0);
}

TEST(schedule, a_pipe_may_wait_for_a_flag_that_is_set_later) {
  const auto kernel = [](Memory& m) {
    Views g(m);
    Rows8 tile;
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);
    TSTORE(g.out, tile);
    TLOAD(tile, g.rows);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);
  };
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Outcome o = run(target::a2a3, kernel, {}, seed);
    EXPECT_EQ(o.findings, "") << seed;
    for (int i = 0; i < 256; ++i) ASSERT_EQ(o.out[static_cast<std::size_t>(i)], static_cast<float>(i));
  }
}

TEST(schedule, the_scalar_unit_never_reaches_a_set_behind_its_own_wait) {
  const auto kernel = [](Memory&) {
    wait_flag(PIPE_V, PIPE_S, EVENT_ID3);
    set_flag(PIPE_V, PIPE_S, EVENT_ID3);
  };
  EXPECT_NE(run(target::a5, kernel, {}, 0).findings.find(name(FindingKind::flag_deadlock)), std::string::npos);
  EXPECT_NE(run(target::a5, kernel, {}, 5).findings.find(name(FindingKind::flag_deadlock)), std::string::npos);
}

TEST(schedule, work_behind_a_wait_for_ever_is_not_done) {
  const auto kernel = [](Memory& m) {
    Views g(m);
    Rows8 tile;
    TLOAD(tile, g.rows);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);
    TSTORE(g.out, tile);
  };
  for (std::uint64_t seed : {0u, 1u, 2u}) {
    const Outcome o = run(target::a5, kernel, {}, seed);
    EXPECT_NE(o.findings.find(name(FindingKind::flag_deadlock)), std::string::npos);
    for (float v : o.out) ASSERT_EQ(v, 0.0f);
  }
}

TEST(schedule, a_wait_for_ever_in_a_long_loop_ends_the_block) {
  const auto kernel = [](Memory& m) {
    Views g(m);
    Rows8 tile;
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);
    for (int i = 0; i < 100'000; ++i) TSTORE(g.out, tile);
    m.ints[0] = 1;
  };
  const Outcome o = run(target::a5, kernel, {}, 0);
  EXPECT_NE(o.findings.find(name(FindingKind::flag_deadlock)), std::string::npos);
  for (float v : o.out) ASSERT_EQ(v, 0.0f);
}

TEST(schedule, a_wait_for_ever_ends_the_block_wherever_it_stands) {
  struct Guard {
    ~Guard() { wait_flag(PIPE_V, PIPE_S, EVENT_ID3); }
  };
  const auto store = [](Memory& m) {
    Views g(m);
    Rows8 tile;
    TEXPANDS(tile, 1.0f);
    after(PIPE_V, PIPE_MTE3);
    TSTORE(g.out, tile);
  };
  const std::function<void(Memory&)> kernels[] = {
      [&](Memory& m) noexcept { wait_flag(PIPE_V, PIPE_S, EVENT_ID3), store(m); },
      [&](Memory& m) {
        {
          const Guard guard;
        }
        store(m);
      },
      [&](Memory& m) {
        try {
          wait_flag(PIPE_V, PIPE_S, EVENT_ID3);
        } catch (...) {
        }
        store(m);
      }};
  for (const auto& kernel : kernels) {
    const Outcome o = run(target::a5, kernel, {}, 0);
    EXPECT_NE(o.findings.find(name(FindingKind::flag_deadlock)), std::string::npos);
    for (float v : o.out) ASSERT_EQ(v, 0.0f);
  }
}

std::string report_of(const Target& target, const std::function<void(Memory&)>& kernel, std::uint64_t seed) {
  Device dev(target);
  Memory memory(dev);
  std::ostringstream out;
  out << dev.launch({.seed = seed}, [&] { kernel(memory); });
  return out.str();
}

TEST(schedule, a_race_names_the_flag_in_the_kernels_own_direction_under_every_seed) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const std::string text = report_of(target::a5, store_before_gather_is_done, seed);
    EXPECT_NE(text.find("tstore (MTE3) reads src at UB "), std::string::npos) << text;
    EXPECT_NE(text.find("Missing set_flag/wait_flag(PIPE_V, PIPE_MTE3)"), std::string::npos) << text;
    EXPECT_EQ(text.find("PIPE_MTE3, PIPE_V"), std::string::npos) << text;
    EXPECT_EQ(text.find(name(FindingKind::uninit_read)), std::string::npos) << text;
  }
}

TEST(schedule, a_deadlock_says_what_it_waits_for) {
  const auto wrong_id = [](Memory&) {
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
  };
  EXPECT_NE(report_of(target::a5, wrong_id, 0).find("Is it (PIPE_MTE2, PIPE_V, EVENT_ID0), which set_flag of line "),
            std::string::npos);
  const auto circle = [](Memory&) {
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
  };
  const std::string text = report_of(target::a5, circle, 0);
  EXPECT_NE(text.find("is also behind a wait"), std::string::npos) << text;
  EXPECT_NE(text.find("2 errors"), std::string::npos) << text;
}

TEST(schedule, one_report_of_one_run_is_the_report_of_the_next) {
  const auto kernel = [](Memory& m) {
    Views g(m);
    Rows8 tile;
    TLOAD(tile, g.rows);
    TSTORE(g.out, tile);
  };
  EXPECT_EQ(report_of(target::a2a3, kernel, 0), report_of(target::a2a3, kernel, 0));
  EXPECT_EQ(report_of(target::a2a3, kernel, 5), report_of(target::a2a3, kernel, 5));
}

TEST(schedule, blocks_are_interleaved_by_the_seed) {
  const auto kernel = [](Memory& m) {
    Views g(m);
    Rows8 tile;
    for (int i = 0; i < 8; ++i) {
      TLOAD(tile, g.rows);
      after(PIPE_MTE2, PIPE_MTE3);
      m.ints[0] = m.ints[0] * 4 % 1'000'003 + get_block_idx();  // depends on the order in which blocks continue
      after(PIPE_MTE3, PIPE_MTE2);
    }
  };
  std::set<std::int32_t> orders;
  for (std::uint64_t seed = 0; seed <= 16; ++seed) {
    const Outcome o = run(target::a2a3, kernel, {.blocks = 4}, seed);
    EXPECT_EQ(o, run(target::a2a3, kernel, {.blocks = 4}, seed)) << seed;
    orders.insert(o.ints[0]);
  }
  EXPECT_GT(orders.size(), 8u);
}

TEST(schedule, more_blocks_than_turns_all_run_once) {
  const auto kernel = [](Memory& m) { m.ints[get_block_idx()] += 1, pipe_barrier(PIPE_ALL); };
  for (std::uint64_t seed : {0u, 9u}) {
    const Outcome o = run(target::a5, kernel, {.blocks = 64}, seed);
    for (std::int32_t n : o.ints) EXPECT_EQ(n, 1);
  }
}

TEST(schedule, elem_adds_of_two_blocks_of_a2a3_can_lose_updates) {
  const auto kernel = [](Memory& m) {
    Views g(m);
    Cells8 src;
    CellIndex8 idx;
    TLOAD(src, g.values);
    TLOAD(idx, g.cells);
    after(PIPE_MTE2, PIPE_V);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(g.sums, src, idx);
  };
  const Outcome plain = run(target::a2a3, kernel, {.blocks = 4}, 0);
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const Outcome o = run(target::a2a3, kernel, {.blocks = 4}, seed);
    EXPECT_NE(o.findings.find(name(FindingKind::atomic_race)), std::string::npos);
    lost += !o.same_memory(plain);
  }
  EXPECT_GT(lost, 0);
}

/// Scatters the values 0 … 63 to `out`, reads them back by DMA, and stores the result 1024 elements further on.
void read_back(Memory& m, bool clean) {
  Views g(m);
  Cells8 src, back;
  CellIndex8 idx;
  Matrix<float, 8, 8> copy(m.out.data() + 1024);
  for (int i = 0; i < 64; ++i) m.idx[i] = i;
  TLOAD(src, g.values);
  TLOAD(idx, g.cells);
  after(PIPE_MTE2, PIPE_V);
  MSCATTER<Coalesce::Elem>(g.sums, src, idx);
  pipe_barrier(PIPE_ALL);
  if (clean) dcci(m.out.data(), ENTIRE_DATA_CACHE), dsb(DSB_DDR);
  TLOAD(back, g.results);
  after(PIPE_MTE2, PIPE_MTE3);
  TSTORE(copy, back);
}

TEST(schedule, with_a_seed_dma_does_not_see_what_the_data_cache_holds) {
  for (const Target* t : machines) {
    const Outcome stale = run(*t, [](Memory& m) { read_back(m, false); }, {}, 3);
    const Outcome fresh = run(*t, [](Memory& m) { read_back(m, true); }, {}, 3);
    EXPECT_NE(stale.findings.find(name(FindingKind::stale_cache)), std::string::npos);
    EXPECT_EQ(fresh.findings, "");
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_EQ(fresh.out[1024 + i], fresh.table[i / 8 * 8 + i % 8]);
      EXPECT_EQ(stale.out[1024 + i], 0.0f);
      EXPECT_EQ(stale.out[i], fresh.out[i]) << "the end of the launch publishes";
    }
  }
}

TEST(schedule, with_a_seed_a_cache_keeps_what_it_read) {
  const auto kernel = [](Memory& m, bool clean) {
    Views g(m);
    Cells8 first, second, ones;
    CellIndex8 idx;
    for (int i = 0; i < 64; ++i) m.idx[i] = i;
    TLOAD(idx, g.cells);
    after(PIPE_MTE2, PIPE_V);
    MGATHER<Coalesce::Elem>(first, g.sums, idx);
    TEXPANDS(ones, 1.0f);
    pipe_barrier(PIPE_ALL);
    TSTORE(g.results, ones);
    pipe_barrier(PIPE_ALL);
    if (clean) dcci(m.out.data(), ENTIRE_DATA_CACHE), dsb(DSB_DDR);
    MGATHER<Coalesce::Elem>(second, g.sums, idx);
    pipe_barrier(PIPE_ALL);
    TSTORE(g.values, second);
  };
  for (const Target* t : machines) {
    EXPECT_EQ(run(*t, [&](Memory& m) { kernel(m, false); }, {}, 3).table[5], 0.0f);
    EXPECT_EQ(run(*t, [&](Memory& m) { kernel(m, true); }, {}, 3).table[5], 1.0f);
  }
}

TEST(schedule, a_kernels_exception_ends_its_block_and_no_other) {
  Device dev(target::a5);
  auto done = dev.alloc<int>(8);
  const auto kernel = [&] {
    pipe_barrier(PIPE_ALL);
    if (get_block_idx() == 3) throw std::runtime_error("mine");
    done[get_block_idx()] = 1;
  };
  EXPECT_THROW(ignore_findings(dev.launch({.blocks = 8, .seed = 7}, kernel)), std::runtime_error);
  for (int b = 0; b < 8; ++b) EXPECT_EQ(done[b], b == 3 ? 0 : 1);
}

}  // namespace
}  // namespace ptox::corpus
