// SPDX-License-Identifier: Apache-2.0
// Each block of a launch runs once with its own buffers, and no update of global memory is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "launched.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox {
namespace {

using namespace pto;
using namespace pto::instr;

template <class T, int R, int C>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, R, C>, BaseShape2D<T, R, C>>;

class on_every_target : public testing::TestWithParam<const Target*> {};
std::string target_name(const testing::TestParamInfo<const Target*>& info) { return info.param->name; }
INSTANTIATE_TEST_SUITE_P(launch, on_every_target, testing::ValuesIn(target::on_host), target_name);

void after(pipe_t first, pipe_t then) {
  set_flag(first, then, EVENT_ID0);
  wait_flag(first, then, EVENT_ID0);
}

AICORE void write_block_id(__gm__ std::int32_t* out) {
  Tile<TileType::Vec, std::int32_t, 1, 8> tile;
  Matrix<std::int32_t, 1, 8> gm(out + get_block_idx() * 8);
  TEXPANDS(tile, get_block_idx() * 1000 + get_block_num());
  after(PIPE_V, PIPE_MTE3);
  TSTORE(gm, tile);
}

TEST_P(on_every_target, both_forms_run_every_block_once) {
  Device dev(*GetParam());
  for (const bool as_template : {true, false}) {
    auto out = dev.alloc<std::int32_t>(100 * 8);
    const Report r = as_template ? dev.launch<write_block_id>({.blocks = 100}, out.data())
                                 : dev.launch({.blocks = 100}, write_block_id, out.data());
    EXPECT_TRUE(r.clean()) << r;
    for (int b = 0; b < 100; ++b)
      for (int i = 0; i < 8; ++i) ASSERT_EQ(out[b * 8 + i], b * 1000 + 100);
  }
}

TEST_P(on_every_target, each_block_has_its_own_buffer) {
  Device dev(*GetParam());
  auto out = dev.alloc<std::int32_t>(64 * 8);
  const Report r = dev.launch({.blocks = 64}, [&] {
    Tile<TileType::Vec, std::int32_t, 1, 8> mine, all;
    TASSIGN(mine, 0x40);
    Matrix<std::int32_t, 1, 8> gm(out.data() + get_block_idx() * 8);
    for (int round = 0; round < 50; ++round) {
      mine.SetValue(0, 0, get_block_idx());
      if (mine.GetValue(0, 0) != get_block_idx()) throw std::runtime_error("another block wrote here");
    }
    after(PIPE_S, PIPE_V);
    TEXPANDS(mine, get_block_idx());
    after(PIPE_V, PIPE_MTE3);
    TSTORE(gm, mine);
  });
  EXPECT_TRUE(r.clean()) << r;
  for (int b = 0; b < 64; ++b) ASSERT_EQ(out[b * 8 + 7], b);
}

/// 64 blocks each scatter-add a tile of ones to the same 8 rows, 20 times.
template <class T, Coalesce mode>
void hammer(const Target& target) {
  Device dev(target);
  auto table = dev.alloc<T>(8 * 32);
  const Report r = dev.launch({.blocks = 64}, [&] {
    constexpr int index_rows = mode == Coalesce::Row ? 1 : 8, index_cols = mode == Coalesce::Row ? 8 : 32;
    Tile<TileType::Vec, T, 8, 32> src;
    Tile<TileType::Vec, std::int32_t, index_rows, index_cols> idx;
    Matrix<T, 8, 32> gm(table.data());
    TEXPANDS(src, 1);
    for (int i = 0; i < index_rows * index_cols; ++i) idx.SetValue(i, i);
    pipe_barrier(PIPE_ALL);
    for (int k = 0; k < 20; ++k) MSCATTER<mode, ScatterAtomicOp::Add>(gm, src, idx);
  });
  EXPECT_TRUE(r.clean()) << r;
  T expected{};
  if constexpr (std::is_integral_v<T>)
    expected = static_cast<T>(64 * 20);
  else
    for (int i = 0; i < 64 * 20; ++i) expected = static_cast<T>(static_cast<float>(expected) + 1.0f);
  for (std::int64_t i = 0; i < 8 * 32; ++i) ASSERT_EQ(static_cast<float>(table[i]), static_cast<float>(expected)) << i;
}

TEST(atomics, lose_no_update_between_blocks) {
  hammer<float, Coalesce::Row>(target::cpu);
  hammer<float, Coalesce::Elem>(target::cpu);
  hammer<std::int32_t, Coalesce::Elem>(target::cpu);
  hammer<std::uint32_t, Coalesce::Row>(target::cpu);
  hammer<std::int8_t, Coalesce::Elem>(target::cpu);
  hammer<std::uint8_t, Coalesce::Row>(target::cpu);
  hammer<std::int16_t, Coalesce::Elem>(target::cpu);
  hammer<std::uint16_t, Coalesce::Row>(target::cpu);
  hammer<half, Coalesce::Elem>(target::cpu);
  hammer<bfloat16_t, Coalesce::Row>(target::cpu);
  hammer<float, Coalesce::Row>(target::a2a3);
  hammer<float, Coalesce::Elem>(target::a5);
}

TEST(atomics, keep_the_largest_and_smallest_between_blocks) {
  Device dev(target::cpu);
  auto most = dev.alloc<std::int32_t>(8), least = dev.alloc<std::int32_t>(8);
  require_clean(dev.launch({.blocks = 64}, [&] {
    Tile<TileType::Vec, std::int32_t, 1, 8> src, idx;
    Matrix<std::int32_t, 1, 8> up(most.data()), down(least.data());
    for (int i = 0; i < 8; ++i) src.SetValue(i, (get_block_idx() * 37 + i) % 64 - 20), idx.SetValue(i, i);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::Max>(up, src, idx);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::Min>(down, src, idx);
  }));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(most[i], 43);
    EXPECT_EQ(least[i], -20);
  }
}

TEST(atomics, tstore_add_loses_no_update) {
  Device dev(target::cpu);
  auto sum = dev.alloc<float>(8);
  require_clean(dev.launch({.blocks = 100}, [&] {
    Tile<TileType::Vec, float, 1, 8> one;
    Matrix<float, 1, 8> gm(sum.data());
    TEXPANDS(one, 1.0f);
    for (int k = 0; k < 10; ++k) TSTORE<AtomicType::AtomicAdd>(gm, one);
  }));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(sum[i], 1000.0f);
}

TEST_P(on_every_target, a_kernels_exception_ends_its_block_and_is_rethrown) {
  Device dev(*GetParam());
  auto out = dev.alloc<std::int32_t>(16 * 8);
  const auto run = [&] {
    require_clean(dev.launch({.blocks = 16}, [&] {
      if (get_block_idx() == 5) throw std::runtime_error("block 5");
      write_block_id(out.data());
    }));
  };
  EXPECT_THROW(run(), std::runtime_error);
  for (int b = 0; b < 16; ++b) EXPECT_EQ(out[b * 8], b == 5 ? 0 : b * 1000 + 16);
}

TEST_P(on_every_target, findings_of_many_blocks_are_one_with_a_count) {
  Device dev(*GetParam(), {Check::all});
  auto table = dev.alloc<float>(4 * 8);
  const Report r = dev.launch({.blocks = 32}, [&] {
    Tile<TileType::Vec, float, 2, 8> dst;
    Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 2> idx;
    Matrix<float, 4, 8> gm(table.data());
    idx.SetValue(0, 3), idx.SetValue(1, 4);
    after(PIPE_S, PIPE_V);
    MGATHER<Coalesce::Row>(dst, gm, idx);
  });
  ASSERT_EQ(r.findings().size(), 1u) << r;
  EXPECT_EQ(r.findings()[0].kind, FindingKind::oob_index);
  EXPECT_EQ(r.findings()[0].count, 32);
  EXPECT_EQ(r.findings()[0].block, 0);
  EXPECT_NE(r.findings()[0].file.find("launch_test.cpp"), std::string::npos);
  EXPECT_EQ(
      r.findings()[0].message,
      "mgather reads table row 4, table has 4 rows; idx[0,1] = 4 (31 more, up to 4). Clamp, Wrap or Zero define this");
}

/// On a5, the value that each destination has after many lanes wrote it with ScatterConflict::Default.
std::vector<std::int32_t> winners(std::uint64_t seed) {
  Device dev(target::a5, {Check::off});
  auto table = dev.alloc<std::int32_t>(8);
  require_clean(dev.launch({.blocks = 1, .seed = seed}, [&] {
    Tile<TileType::Vec, std::int32_t, 16, 128> src, idx;
    Matrix<std::int32_t, 1, 8> gm(table.data());
    for (int i = 0; i < 16 * 128; ++i) src.SetValue(i, i), idx.SetValue(i, i % 8);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Undefined, ScatterConflict::Default>(gm, src, idx);
  }));
  return {table.begin(), table.end()};
}

TEST(a5, default_conflicts_follow_the_seed_and_repeat) {
  std::set<std::vector<std::int32_t>> outcomes;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto w = winners(seed);
    EXPECT_EQ(w, winners(seed));
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(w[i] % 8, static_cast<std::int32_t>(i));
    outcomes.insert(w);
  }
  EXPECT_GT(outcomes.size(), 3u);
}

TEST(launch, models_take_blocks_in_the_seeds_order) {
  const auto order = [](std::uint64_t seed) {
    Device dev(target::a5);
    std::vector<int> taken;
    require_clean(dev.launch({.blocks = 20, .seed = seed}, [&] { taken.push_back(get_block_idx()); }));
    return taken;
  };
  EXPECT_EQ(order(0)[7], 7);
  EXPECT_EQ(order(3), order(3));
  EXPECT_NE(order(3), order(4));
  const std::vector<int> taken = order(3);
  EXPECT_EQ(std::set<int>(taken.begin(), taken.end()).size(), 20u);
}

TEST(launch, nested_and_concurrent_launches_work) {
  Device dev(target::cpu);
  std::atomic<int> blocks = 0;
  const auto nested = [&] {
    require_clean(dev.launch({.blocks = 8}, [&] { require_clean(dev.launch({.blocks = 3}, [&] { ++blocks; })); }));
  };
  std::thread other(nested);
  nested();
  other.join();
  EXPECT_EQ(blocks, 48);
}

TEST(launch, a_nested_launch_leaves_the_outer_blocks_buffer_alone) {
  Device dev(target::a2a3);
  std::int32_t seen = 0;
  require_clean(dev.launch({}, [&] {
    Tile<TileType::Vec, std::int32_t, 1, 8> outer;
    outer.SetValue(0, 77);
    require_clean(dev.launch({}, [&] {
      Tile<TileType::Vec, std::int32_t, 1, 8> inner;
      inner.SetValue(0, 5);
    }));
    seen = outer.GetValue(0);
  }));
  EXPECT_EQ(seen, 77);
}

TEST(launch, poisons_the_buffer) {
  for (const Target* t : target::on_host) {
    Device dev(*t);
    std::uint8_t before = 0;
    for (int again = 0; again < 2; ++again) {
      const Report r = dev.launch({}, [&] {
        Tile<TileType::Vec, std::uint8_t, 1, 32> tile;
        before = tile.GetValue(3);
        tile.SetValue(3, std::uint8_t{1});
      });
      EXPECT_EQ(r.has(FindingKind::uninit_read), !t->native) << r;
      EXPECT_EQ(before, 0xA5) << t->name;
    }
  }
}

TEST(launch, wrong_options_throw_a_sentence) {
  Device dev(target::cpu);
  try {
    require_clean(dev.launch({.blocks = 0}, [] {}));
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "launch: blocks is 0; it must be at least 1");
  }
}

TEST(launch, memory_past_the_allocation_is_found_and_not_touched) {
  for (const Target* t : target::on_host) {
    Device dev(*t, {Check::all});
    std::vector<float> host(64, 1.0f);
    dev.adopt(host.data(), 32);  // only the first half is registered as global memory
    const Report r = dev.launch({}, [&] {
      Tile<TileType::Vec, float, 8, 8> tile;
      Matrix<float, 8, 8> gm(host.data());
      TEXPANDS(tile, 2.0f);
      TSTORE(gm, tile);
    });
    dev.forget(host.data());
    ASSERT_EQ(r.findings().size(), 1u) << r;
    EXPECT_EQ(r.findings()[0].kind, FindingKind::oob_gm);
    for (const float x : host) EXPECT_EQ(x, 1.0f);
  }
}

TEST(report, json_and_sarif_carry_what_the_text_says) {
  const Report r("a5", "k\"ernel", 2,
                 {{FindingKind::alias, Severity::warning, "two \\ \"one\"", "dir/k.cpp", 12, 1, 3}});
  EXPECT_EQ(r.json(),
            "{\"target\": \"a5\", \"kernel\": \"k\\\"ernel\", \"blocks\": 2,\n \"findings\": [\n  {\"id\": \"alias\", "
            "\"severity\": \"warning\", \"message\": \"two \\\\ \\\"one\\\"\", \"file\": \"dir/k.cpp\", \"line\": 12, "
            "\"block\": 1, \"count\": 3, \"where\": {}}],\n \"cycles\": {\"S\": 0, \"V\": 0, \"MTE2\": 0, \"MTE3\": 0, "
            "\"total\": 0}}\n");
  EXPECT_NE(r.sarif().find("\"ruleId\": \"alias\", \"level\": \"warning\""), std::string::npos);
  std::ostringstream text;
  text << r;
  EXPECT_EQ(
      text.str(),
      "dir/k.cpp:12: warning: [alias] two \\ \"one\" (3 times, first in block 1)\na5, 2 blocks: 0 errors, 1 warning\n");
  EXPECT_FALSE(r.clean());
  EXPECT_THROW(r.write_json("/no/such/folder/x.json"), std::invalid_argument);
}

TEST(report, names_the_kernel) {
  Device dev(target::cpu);
  auto out = dev.alloc<std::int32_t>(8);
  EXPECT_NE(dev.launch<write_block_id>({}, out.data()).kernel().find("write_block_id"), std::string::npos);
}

TEST(device, checks_are_off_on_the_host_and_on_elsewhere) {
  EXPECT_EQ(Device(target::cpu).check(), Check::off);
  EXPECT_EQ(Device(target::a2a3).check(), Check::all);
  EXPECT_EQ(Device(target::a5).check(), Check::all);
  EXPECT_EQ(Device(target::a5, {.check = Check::off}).check(), Check::off);
}

}  // namespace
}  // namespace ptox
