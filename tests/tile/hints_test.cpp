// SPDX-License-Identifier: Apache-2.0
// Rows requested by TPREFETCH are kept until a gather prefetches them, and never change a result.
#include "pto/tile/hints.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "loops/caches.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Device;

TEST(asked_rows, rows_of_one_size_wait) {
  instr::Hints hints;
  std::byte memory[3 * 64];
  for (int i = 0; i < 3; ++i) hints.ask(memory + i * 64, 64);
  ASSERT_EQ(hints.count_of(64), 3);
  EXPECT_EQ(hints.count_of(128), 0);
  EXPECT_EQ(hints.rows()[2], memory + 128);
  EXPECT_EQ(hints.take_asked(), 3 * 64);
  EXPECT_EQ(hints.take_asked(), 0);
  hints.fetch_from(1);
  EXPECT_EQ(hints.count_of(64), 0);
}
TEST(asked_rows, those_that_a_gather_leaves_wait_on) {
  instr::Hints hints;
  std::byte memory[4 * 64];
  for (int i = 0; i < 3; ++i) hints.ask(memory + i * 64, 64);
  hints.drop(2);
  ASSERT_EQ(hints.count_of(64), 1);
  EXPECT_EQ(hints.rows()[0], memory + 128);
  EXPECT_EQ(hints.take_asked(), 3 * 64);
  hints.add(memory + 192, 64);
  ASSERT_EQ(hints.count_of(64), 2);
  EXPECT_EQ(hints.rows()[1], memory + 192);
  EXPECT_EQ(hints.take_asked(), 0) << "no hint named it";
  for (int i = 0; i < instr::Hints::most; ++i) hints.add(memory, 64);
  EXPECT_EQ(hints.count_of(64), instr::Hints::most);
}
TEST(asked_rows, a_row_of_another_size_does_not_wait_with_them) {
  instr::Hints hints;
  std::byte memory[256];
  hints.ask(memory, 64), hints.ask(memory + 64, 128);
  EXPECT_EQ(hints.count_of(64), 0);
  ASSERT_EQ(hints.count_of(128), 1);
  EXPECT_EQ(hints.rows()[0], memory + 64);
  EXPECT_EQ(hints.take_asked(), 192);
}
TEST(asked_rows, no_more_wait_than_there_is_room_for) {
  instr::Hints hints;
  std::byte row[64];
  for (int i = 0; i < instr::Hints::most + 1; ++i) hints.ask(row, 64);
  EXPECT_EQ(hints.count_of(64), 1);
  hints.start(true);
  EXPECT_EQ(hints.count_of(64), 0);
  EXPECT_EQ(hints.take_asked(), 0);
}

TEST(asked_rows, none_waits_where_lines_come_fast) {
  instr::Hints hints;
  std::byte memory[2 * 64];
  hints.start(false);
  EXPECT_FALSE(hints.waits());
  hints.ask(memory, 64), hints.ask(memory + 64, 64);
  EXPECT_EQ(hints.count(), 0);
  EXPECT_EQ(hints.take_asked(), 2 * 64);
  hints.add(memory, 64);
  EXPECT_EQ(hints.count_of(64), 1) << "what a gather leaves waits all the same";
}

constexpr int tile_rows = 16, table_rows = 1 << 16;

/// The rows that the kernel requests by TPREFETCH before it gathers.
enum class Ask { none, own, next, few, many, other };

/// out[i, :] = table[idx[i], :]
template <int width, int tiles, Ask ask>
void gather(float* out, float* data, std::int32_t* indices) {
  using Row = GlobalTensor<float, Shape<1, 1, 1, 1, width>, Stride<width, width, width, width, 1>>;
  using Table = GlobalTensor<float, Shape<1, 1, 1, table_rows, width>, Stride<width, width, width, width, 1>>;
  using Block = GlobalTensor<float, Shape<1, 1, 1, tile_rows, width>, Stride<width, width, width, width, 1>>;
  using Indices = GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, tile_rows>, Stride<1, 1, 1, tile_rows, 1>>;
  Tile<TileType::Vec, float, tile_rows, width> rows;
  Tile<TileType::Vec, float, 1, width> scratch;
  Tile<TileType::Vec, std::int32_t, 1, tile_rows> idx;
  Table table(data);
  for (int t = 0; t < tiles; ++t) {
    Indices these(indices + t * tile_rows);
    TLOAD(idx, these);
    const int hints = ask == Ask::none ? 0 : ask == Ask::few ? 3 : ask == Ask::many ? 300 : tile_rows;
    for (int r = 0; r < hints; ++r) {
      const std::int64_t at = ask == Ask::own ? t * tile_rows + r : (t + 1) * tile_rows + r;
      Row row(ask == Ask::other ? out + r * width : data + std::int64_t{indices[at % (tiles * tile_rows)]} * width);
      TPREFETCH(scratch, row);
    }
    MGATHER<Coalesce::Row, GatherOOB::Zero>(rows, table, idx);
    Block there(out + t * tile_rows * width);
    TSTORE(there, rows);
  }
}

template <int width, Ask ask, int tiles = 40>
void expect_the_rows() {
  Device dev(ptox::target::cpu, {ptox::Check::off});
  auto table = dev.alloc<float>(table_rows * width), out = dev.alloc<float>(tiles * tile_rows * width);
  auto idx = dev.alloc<std::int32_t>(tiles * tile_rows);
  std::iota(table.begin(), table.end(), 1.0f);
  for (int i = 0; i < tiles * tile_rows; ++i) idx[i] = static_cast<std::int32_t>(i * 7919ll % (table_rows + 9));
  ASSERT_TRUE((dev.launch({.blocks = 1}, gather<width, tiles, ask>, out.data(), table.data(), idx.data()).clean()));
  for (int i = 0; i < tiles * tile_rows * width; ++i) {
    const int slot = idx[i / width];
    ASSERT_EQ(out[i], slot < table_rows ? table[slot * width + i % width] : 0) << i;
  }
}

template <int width>
void expect_the_rows_of_every_asking() {
  expect_the_rows<width, Ask::own>(), expect_the_rows<width, Ask::next>(), expect_the_rows<width, Ask::few>();
  expect_the_rows<width, Ask::many>(), expect_the_rows<width, Ask::other>();
}
/// The parameter is the size of L2: if it is large, requested rows are kept for the next gather.
struct asked_rows_of : testing::TestWithParam<std::int64_t> {
  void SetUp() override { ptox::force_second_cache(GetParam()); }
  void TearDown() override { ptox::force_second_cache(0); }
};
TEST_P(asked_rows_of, a_gather_moves_its_rows_whatever_was_asked_for) {
  expect_the_rows_of_every_asking<8>();
  expect_the_rows_of_every_asking<16>();
  expect_the_rows_of_every_asking<24>();
  expect_the_rows_of_every_asking<128>();
}

/// Enough tiles that the last ones are stored with non-temporal stores.
TEST_P(asked_rows_of, a_gather_leaves_some_for_the_store_behind_it) {
  constexpr int tiles = 7000;
  expect_the_rows<128, Ask::none, tiles>();
  expect_the_rows<128, Ask::next, tiles>();
  expect_the_rows<16, Ask::none, 8 * tiles>();
  expect_the_rows<32, Ask::next, 4 * tiles>();
}
INSTANTIATE_TEST_SUITE_P(second_cache, asked_rows_of, testing::Values(1 << 20, 2 << 20));

}  // namespace
