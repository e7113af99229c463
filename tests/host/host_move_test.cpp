// SPDX-License-Identifier: Apache-2.0
// A HostMove is made correctly from the operands, and moves the right bytes.
#include "pto/isa/host_move.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "host/guarded.hpp"
#include "launched.hpp"
#include "loops/caches.hpp"
#include "loops/level.hpp"
#include "pto/isa/all.hpp"
#include "pto/isa/samples.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using namespace pto::instr;

TensorDesc tensor(std::vector<std::int64_t> shape, std::vector<std::int64_t> stride) {
  TensorDesc t{.dtype = DType::f32};
  for (int i = 0; i < 5; ++i) t.shape[i] = shape[i], t.stride[i] = stride[i];
  return t;
}

TEST(host_move, rows_lie_a_constant_step_apart_or_not) {
  EXPECT_EQ(row_step(tensor({1, 1, 1, 8, 4}, {99, 99, 99, 6, 1})), 6);
  EXPECT_EQ(row_step(tensor({1, 1, 2, 8, 4}, {99, 99, 48, 6, 1})), 6);
  EXPECT_EQ(row_step(tensor({3, 1, 2, 8, 4}, {96, 5, 48, 6, 1})), 6);
  EXPECT_EQ(row_step(tensor({1, 1, 2, 8, 4}, {99, 99, 49, 6, 1})), unknown);
  EXPECT_EQ(row_step(tensor({3, 1, 2, 8, 4}, {97, 5, 48, 6, 1})), unknown);
  EXPECT_EQ(row_step(tensor({1, 5, 1, 1, 4}, {99, 7, 99, 99, 1})), 7);
  EXPECT_EQ(row_step(tensor({1, 1, 1, 1, 4}, {99, 99, 99, 99, 1})), 0);
  EXPECT_EQ(row_step(tensor({1, 1, 2, 8, 4}, {1, 1, INT64_MAX, INT64_MAX, 1})), unknown);
}

TEST(host_move, every_row_lies_where_its_step_says) {
  const std::array tensors{tensor({3, 1, 2, 8, 4}, {96, 5, 48, 6, 1}), tensor({1, 5, 1, 1, 4}, {9, 7, 9, 9, 1})};
  for (const TensorDesc& t : tensors)
    for (std::int64_t r = 0; r < t.rows(); ++r) EXPECT_EQ(element_offset(t, r, 0), r * row_step(t));
}

TEST(host_move, a_tile_and_a_tensor_in_one_piece_are_one_row) {
  const TensorDesc whole = tensor({1, 1, 1, 8, 16}, {1, 1, 1, 16, 1}),
                   wide = tensor({1, 1, 1, 8, 16}, {1, 1, 1, 20, 1});
  const TileDesc tile = sample_tile(DType::f32, 8, 16);
  EXPECT_EQ(transfer_move(tile, whole).rows, 1);
  EXPECT_EQ(transfer_move(tile, whole).row_bytes, 8 * 64);
  EXPECT_EQ(transfer_move(tile, wide).rows, 8);
  EXPECT_EQ(transfer_move(tile, wide).gm_step, 80);
}

TEST(host_move, other_layouts_are_left_to_the_meaning) {
  TensorDesc t = tensor({1, 1, 1, 8, 16}, {1, 1, 1, 16, 1});
  EXPECT_EQ(transfer_move(sample_tile(DType::f32, 8, 16, BLayout::ColMajor), t).kind, HostMove::Kind::none);
  t.stride[4] = 2;
  EXPECT_EQ(transfer_move(sample_tile(DType::f32, 8, 16), t).kind, HostMove::Kind::none);
}

/// Gathers and scatters rows of `width` elements, with indices in and out of range.
template <class T, int width>
void move_rows() {
  constexpr int rows = 24, table_rows = 40, padded = (width * sizeof(T) + 31) / 32 * 32 / sizeof(T);
  ptox::Device dev(ptox::target::cpu);
  auto table = dev.alloc<T>(table_rows * width), out = dev.alloc<T>(rows * width),
       back = dev.alloc<T>(table_rows * width);
  auto idx = dev.alloc<std::int32_t>(rows);
  for (int i = 0; i < table_rows * width; ++i) table[i] = static_cast<T>(i % 120 + 1);
  for (int r = 0; r < rows; ++r) idx[r] = r == 11 ? -1 : r == 17 ? table_rows : r * 7 % table_rows;
  ptox::require_clean(dev.launch({}, [&] {
    using Rows = GlobalTensor<T, Shape<1, 1, 1, table_rows, width>, Stride<1, 1, 1, width, 1>>;
    Rows from(table.data()), to(back.data());
    GlobalTensor<T, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, width, 1>> there(out.data());
    GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, 1, 1>> these(idx.data());
    Tile<TileType::Vec, T, rows, padded, BLayout::RowMajor, rows, width> tile;
    Tile<TileType::Vec, std::int32_t, 1, rows> index;
    TLOAD(index, these);
    MGATHER<Coalesce::Row, GatherOOB::Zero>(tile, from, index);
    TSTORE(there, tile);
    MSCATTER<Coalesce::Row, ScatterOOB::Skip>(to, tile, index);
  }));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < width; ++c) {
      const bool in = r != 11 && r != 17;
      ASSERT_EQ(out[r * width + c], in ? table[idx[r] * width + c] : T{}) << r << " " << c;
      ASSERT_TRUE(!in || back[idx[r] * width + c] == table[idx[r] * width + c]) << r << " " << c;
    }
}

TEST(host_move, rows_of_every_width_arrive_at_every_level) {
  const ptox::Level before = ptox::level();
  for (const ptox::Level l : ptox::levels()) {
    ptox::force_level(l);
    move_rows<std::int8_t, 1>(), move_rows<std::int8_t, 3>(), move_rows<std::int8_t, 5>(), move_rows<std::int8_t, 31>();
    move_rows<std::int8_t, 33>(), move_rows<std::int16_t, 7>(), move_rows<std::int16_t, 100>();
    move_rows<std::int32_t, 16>(), move_rows<std::int32_t, 32>(), move_rows<std::int32_t, 64>();
    move_rows<std::int32_t, 41>(), move_rows<std::int32_t, 300>();
  }
  ptox::force_level(before);
}

/// Gathers from a far table, and adds to one, by rows and by elements.
template <class T, int width>
void move_far() {
  constexpr int rows = 64, table_rows = (4 << 20) / (width * int{sizeof(T)});
  ptox::Device dev(ptox::target::cpu);
  auto table = dev.alloc<T>(std::int64_t{table_rows} * width), sums = dev.alloc<T>(std::int64_t{table_rows} * width);
  auto out = dev.alloc<T>(rows * width);
  auto idx = dev.alloc<std::int32_t>(rows), flat = dev.alloc<std::int32_t>(rows * width);
  for (std::int64_t i = 0; i < std::int64_t{table_rows} * width; ++i) table[i] = static_cast<T>(i * 7 % 101);
  for (int r = 0; r < rows; ++r) idx[r] = static_cast<std::int32_t>(r * 99991ll % table_rows);
  for (int i = 0; i < rows * width; ++i) flat[i] = static_cast<std::int32_t>(i * 999983ll % (table_rows * width));
  ptox::require_clean(dev.launch({}, [&] {
    GlobalTensor<T, Shape<1, 1, 1, table_rows, width>, Stride<1, 1, 1, width, 1>> from(table.data()), to(sums.data());
    GlobalTensor<T, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, width, 1>> there(out.data());
    GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, 1, 1>> these(idx.data());
    GlobalTensor<std::int32_t, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, width, 1>> all(flat.data());
    Tile<TileType::Vec, T, rows, width> tile, elements;
    Tile<TileType::Vec, std::int32_t, 1, rows> index;
    Tile<TileType::Vec, std::int32_t, rows, width> places;
    TLOAD(index, these), TLOAD(places, all);
    MGATHER<Coalesce::Row>(tile, from, index);
    TSTORE(there, tile);
    MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(to, tile, index);
    MGATHER<Coalesce::Elem>(elements, from, places);
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(to, elements, places);
  }));
  std::vector<T> expected(static_cast<std::size_t>(table_rows) * width);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < width; ++c) {
      ASSERT_EQ(out[r * width + c], table[std::int64_t{idx[r]} * width + c]);
      expected[static_cast<std::size_t>(idx[r]) * width + static_cast<std::size_t>(c)] +=
          table[std::int64_t{idx[r]} * width + c];
    }
  for (int i = 0; i < rows * width; ++i) expected[static_cast<std::size_t>(flat[i])] += table[flat[i]];
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(sums[static_cast<std::int64_t>(i)], expected[i]) << i;
}

/// Calls `what` for every SIMD level, with an L2 of 1 MiB and of 2 MiB.
template <class What>
void each_way(What what) {
  const ptox::Level before = ptox::level();
  for (const ptox::Level l : ptox::levels())
    for (const std::int64_t second : {1 << 20, 2 << 20}) {
      SCOPED_TRACE(testing::Message() << ptox::name(l) << ", second cache " << second);
      ptox::force_level(l), ptox::force_second_cache(second);
      what();
    }
  ptox::force_level(before), ptox::force_second_cache(0);
}

TEST(host_move, far_tables_are_moved_and_added_to_at_every_level) {
  each_way([] {
    move_far<float, 16>(), move_far<std::int32_t, 128>(), move_far<std::int16_t, 32>(), move_far<std::int8_t, 32>();
  });
}

/// Gathers and scatters tile by tile; the indices are between guard pages. With several index tiles, the indices of the
/// next tile are loaded before the rows of this one are moved, and the host prefetches their rows.
template <int width, int index_tiles>
void move_on(ptox::ops_test::Guarded::Place place) {
  constexpr int rows = 64, tiles = 37, count = rows * tiles, table_rows = (8 << 20) / (width * 4);
  ptox::ops_test::Guarded memory(count * 4 + 1000, 7);
  auto* const idx = memory.payload<std::int32_t>(place, count * 4);
  std::vector<float> table(std::size_t{table_rows} * width), sums(table.size()), expected(table.size());
  std::vector<float> out(std::size_t{count} * width);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i * 7 % 101);
  for (int i = 0; i < count; ++i) idx[i] = static_cast<std::int32_t>(i * 99991ll % table_rows);
  memory.read_only();
  ptox::Device dev(ptox::target::cpu, {ptox::Check::off});
  ptox::require_clean(dev.launch({}, [&] {
    GlobalTensor<float, Shape<1, 1, 1, table_rows, width>, Stride<1, 1, 1, width, 1>> from(table.data()),
        to(sums.data());
    Tile<TileType::Vec, float, rows, width> tile;
    Tile<TileType::Vec, std::int32_t, 1, rows> index[index_tiles];
    const auto load = [&](int t) {
      GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, 1, 1>> these(idx + t * rows);
      if (t < tiles) TLOAD(index[t % index_tiles], these);
    };
    for (int t = 0; t < index_tiles - 1; ++t) load(t);
    for (int t = 0; t < tiles; ++t) {
      load(t + index_tiles - 1);
      GlobalTensor<float, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, width, 1>> there(out.data() + t * rows * width);
      MGATHER<Coalesce::Row>(tile, from, index[t % index_tiles]);
      TSTORE(there, tile);
      MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(to, tile, index[t % index_tiles]);
    }
  }));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t at = static_cast<std::size_t>(idx[i]) * width + c;
      ASSERT_EQ(out[i * width + c], table[at]);
      expected[at] += table[at];
    }
  ASSERT_EQ(sums, expected);
}

TEST(host_move, tile_after_tile_nothing_is_read_in_a_page_of_nobody) {
  using enum ptox::ops_test::Guarded::Place;
  each_way([] {
    for (const auto place : {begin, end}) {
      move_on<16, 1>(place), move_on<8, 1>(place), move_on<504, 1>(place);
      move_on<16, 2>(place), move_on<8, 2>(place), move_on<32, 2>(place), move_on<128, 2>(place);
      move_on<504, 2>(place), move_on<128, 3>(place);
    }
  });
}

/// Stores more than the caches hold, so that non-temporal stores are used and rows of the next tile are prefetched
/// between them: those that the index tile loaded ahead names or, with `asks`, those that TPREFETCH requested.
template <int width, int rows = 64>
void gather_past_the_caches(int begin, bool asks) {
  constexpr int table_rows = (8 << 20) / (width * 4);
  const std::int64_t tiles = 2 * ptox::caches().last / (rows * width * 4) + 3;
  std::vector<float> table(std::size_t{table_rows} * width);
  std::vector<float> out(static_cast<std::size_t>(tiles * rows * width + 2 * begin));
  std::vector<std::int32_t> idx(static_cast<std::size_t>(tiles * rows));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i % 16777213);
  for (std::size_t i = 0; i < idx.size(); ++i) idx[i] = static_cast<std::int32_t>(i * 99991 % table_rows);
  ptox::Device dev(ptox::target::cpu, {ptox::Check::off});
  ptox::require_clean(dev.launch({}, [&] {
    GlobalTensor<float, Shape<1, 1, 1, table_rows, width>, Stride<1, 1, 1, width, 1>> from(table.data());
    Tile<TileType::Vec, float, rows, width> tile;
    Tile<TileType::Vec, float, 1, width> scratch;
    Tile<TileType::Vec, std::int32_t, 1, rows> index[2];
    const auto load = [&](std::int64_t t) {
      GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, 1, 1>> these(idx.data() + t * rows);
      if (t < tiles) TLOAD(index[t % 2], these);
    };
    load(0);
    for (std::int64_t t = 0; t < tiles; ++t) {
      GlobalTensor<float, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, width, 1>> there(out.data() + begin +
                                                                                        t * rows * width);
      load(t + 1);
      for (int r = 0; asks && t + 1 < tiles && r < rows; ++r) {
        GlobalTensor<float, Shape<1, 1, 1, 1, width>, Stride<1, 1, 1, 1, 1>> row(
            table.data() + std::int64_t{idx[static_cast<std::size_t>((t + 1) * rows + r)]} * width);
        TPREFETCH(scratch, row);
      }
      MGATHER<Coalesce::Row>(tile, from, index[t % 2]);
      TSTORE(there, tile);
    }
  }));
  for (std::size_t i = 0; i < idx.size(); ++i)
    ASSERT_EQ(std::memcmp(&out[i * width + static_cast<std::size_t>(begin)],
                          &table[static_cast<std::size_t>(idx[i]) * width], width * 4),
              0)
        << "row " << i;
  for (std::size_t i = 0; i < static_cast<std::size_t>(begin); ++i) ASSERT_EQ(out[i] + out[out.size() - 1 - i], 0.0f);
}

TEST(host_move, what_is_left_for_a_store_past_the_caches_changes_no_byte) {
  each_way([] {
    for (const bool asks : {false, true})
      gather_past_the_caches<64>(0, asks), gather_past_the_caches<104>(3, asks), gather_past_the_caches<128>(0, asks),
          gather_past_the_caches<64, 384>(0, asks);  // more rows than can be left to the store
  });
}

TEST(host_move, indices_may_go_once_they_are_in_the_tile) {
  constexpr int rows = 64, width = 16, table_rows = 1 << 18;
  std::vector<float> table(std::size_t{table_rows} * width, 3.0f);
  auto memory = std::make_unique<ptox::ops_test::Guarded>(4096, 7);
  auto* const idx = memory->payload<std::int32_t>(ptox::ops_test::Guarded::Place::begin, 4096);
  std::fill_n(idx, 1024, 5);
  ptox::Device dev(ptox::target::cpu, {ptox::Check::off});
  ptox::require_clean(dev.launch({}, [&] {
    GlobalTensor<float, Shape<1, 1, 1, table_rows, width>, Stride<1, 1, 1, width, 1>> from(table.data());
    Tile<TileType::Vec, float, rows, width> tile;
    Tile<TileType::Vec, std::int32_t, 1, rows> index;
    for (int t = 0; t < 3; ++t) {
      GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, 1, 1>> these(idx + t * rows);
      TLOAD(index, these);
    }
    memory.reset();
    MGATHER<Coalesce::Row>(tile, from, index);
    EXPECT_EQ(tile.GetValue(rows * width - 1), 3.0f);
  }));
}

TEST(host_move, a_tile_over_its_own_indices_reads_nothing_outside_the_table) {
  constexpr int rows = 64, width = 16, table_rows = 1 << 16;
  ptox::Device dev(ptox::target::cpu);
  auto table = dev.alloc<float>(table_rows * width);
  auto idx = dev.alloc<std::int32_t>(rows);
  for (std::int64_t i = 0; i < table_rows * width; ++i) table[i] = -1e30f;  // as an index: out of range
  ptox::require_clean(dev.launch({}, [&] {
    GlobalTensor<float, Shape<1, 1, 1, table_rows, width>, Stride<1, 1, 1, width, 1>> from(table.data());
    GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, 1, 1>> these(idx.data());
    Tile<TileType::Vec, float, rows, width> tile;
    Tile<TileType::Vec, std::int32_t, 1, rows> index;
    TASSIGN(tile, 0), TASSIGN(index, 0);
    TLOAD(index, these);
    MGATHER<Coalesce::Row, GatherOOB::Zero>(tile, from, index);
    EXPECT_EQ(tile.GetValue(0), -1e30f);
    EXPECT_EQ(tile.GetValue(width), 0.f);  // its index was overwritten by row 0
  }));
}

/// dst[i] = table[idx[i]] where dst starts `offset` bytes after idx, so that a written element may overwrite a later
/// index.
void expect_one_by_one(int offset) {
  constexpr int count = 64, capacity = 1000;
  ptox::Device dev(ptox::target::cpu);
  auto table = dev.alloc<std::int32_t>(capacity), idx = dev.alloc<std::int32_t>(count);
  for (int i = 0; i < capacity; ++i) table[i] = i * 37 % capacity;
  for (int i = 0; i < count; ++i) idx[i] = i * 11 % capacity;
  std::vector<std::int32_t> expected(count + 256);
  std::copy_n(idx.data(), count, expected.begin());
  for (int i = 0; i < count; ++i) expected[i + offset / 4] = table[expected[i]];
  ptox::require_clean(dev.launch({}, [&] {
    GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, capacity>, Stride<1, 1, 1, 1, 1>> from(table.data());
    GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, count>, Stride<1, 1, 1, 1, 1>> these(idx.data());
    Tile<TileType::Vec, std::int32_t, 1, count> dst, index;
    TASSIGN(index, 0x1000), TASSIGN(dst, 0x1000 + offset);
    TLOAD(index, these);
    MGATHER<Coalesce::Elem>(dst, from, index);
    for (int i = 0; i < count; ++i) ASSERT_EQ(dst.GetValue(i), expected[i + offset / 4]) << i << ", offset " << offset;
  }));
}
TEST(host_move, elements_over_their_own_indices_are_gathered_one_by_one_at_every_level) {
  const ptox::Level before = ptox::level();
  for (const ptox::Level l : ptox::levels()) {
    ptox::force_level(l);
    for (const int offset : {0, 32, 64, 96, 128, 256}) expect_one_by_one(offset);
  }
  ptox::force_level(before);
}

}  // namespace
