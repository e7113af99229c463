// SPDX-License-Identifier: Apache-2.0
// comm::TSCATTER gives rank r rows [r H, (r + 1) H) of the root's tensor, chunk by chunk, and reports errors.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using namespace pto::instr;
using std::int64_t;

using Block = GlobalTensor<float, Shape<-1, -1, -1, -1, -1>, Stride<-1, -1, -1, -1, -1>>;
template <int Rows, int Cols>
using Staging = Tile<TileType::Vec, float, Rows, Cols, BLayout::RowMajor, -1, -1>;
template <int Rows, int Cols, int ValidRow = Rows, int ValidCol = Cols>
using Fixed = Tile<TileType::Vec, float, Rows, Cols, BLayout::RowMajor, ValidRow, ValidCol>;

/// A factory of tiles, because tiles have to be created inside the launch that uses them.
template <class TileT>
struct Make {
  int64_t rows = TileT::ValidRow, cols = TileT::ValidCol;
  TileT operator()() const { return TileT(rows, cols); }
};
template <int Rows, int Cols>
constexpr Make<Staging<Rows, Cols>> staging(int64_t rows = Rows, int64_t cols = Cols) {
  return {rows, cols};
}
template <int Rows, int Cols, int ValidRow = Rows, int ValidCol = Cols>
constexpr Make<Fixed<Rows, Cols, ValidRow, ValidCol>> fixed;

static_assert(std::same_as<comm::ParallelGroup<Block>::value_type, Block>);

TEST(parallel_group, knows_tensors_size_and_root) {
  Block tensors[3];
  comm::ParallelGroup<Block> group(tensors, 3, 2);
  EXPECT_EQ(group.tensors, tensors);
  EXPECT_EQ(group.nranks, 3);
  EXPECT_EQ(group.rootIdx, 2);
  EXPECT_EQ(group.GetRootIdx(), 2);
  EXPECT_EQ(group.GetSize(), 3);
  EXPECT_EQ(&group[1], &tensors[1]);
  EXPECT_FALSE(group.empty());
  EXPECT_EQ(comm::ParallelGroup<Block>::Create(tensors, 3, 1).GetRootIdx(), 1);
  EXPECT_TRUE(comm::ParallelGroup<Block>(tensors, 0, 0).empty());
}

/// Extents of the block of one rank; the source has the same extents with more rows.
struct Extents {
  int64_t d0 = 1, d1 = 1, d2 = 1, h = 8, w = 16;
  int64_t gap = 0;  ///< elements between rows
  int64_t row() const { return w + gap; }
  Shape<> shape(int64_t rows) const { return {d0, d1, d2, rows, w}; }
  Stride<> stride(int64_t rows) const {
    return {d1 * d2 * rows * row(), d2 * rows * row(), rows * row(), row(), int64_t{1}};
  }
  int64_t elements(int64_t rows) const { return d0 * d1 * d2 * rows * row(); }
};

/// Simulates n ranks in one process: the root's source and a block per rank.
struct World {
  ptox::Device dev;
  Extents e;
  int64_t source_rows;
  ptox::Buffer<float> source;
  std::vector<ptox::Buffer<float>> memory;
  std::vector<Block> tensors;

  World(const ptox::Target& t, int ranks, const Extents& extents, int64_t surplus = 0)
      : dev(t), e(extents), source_rows(ranks * e.h + surplus), source(dev.alloc<float>(e.elements(source_rows))) {
    for (int64_t i = 0; i < source.size(); ++i) source[i] = static_cast<float>(i + 1);
    for (int r = 0; r < ranks; ++r) {
      memory.push_back(dev.alloc<float>(e.elements(e.h)));
      tensors.emplace_back(memory.back().data(), e.shape(e.h), e.stride(e.h));
    }
  }
  Block source_tensor() const { return {source.data(), e.shape(source_rows), e.stride(source_rows)}; }
  comm::ParallelGroup<Block> group(int root = 0) { return {tensors.data(), static_cast<int>(tensors.size()), root}; }

  template <class... Tiles>
  static void call(comm::ParallelGroup<Block> g, Block src, Tiles... tiles) {
    comm::TSCATTER(g, src, tiles...);
  }
  template <class... Tiles>
  ptox::Report scatter(Make<Tiles>... make) {
    return dev.launch({}, [&] { call(group(), source_tensor(), make()...); });
  }
  /// The expected value at (outer, i, j) of a rank; gaps stay zero.
  float expected(int64_t rank, int64_t outer, int64_t i, int64_t j) const {
    return j < e.w ? source[(outer * source_rows + rank * e.h + i) * e.row() + j] : 0.0f;
  }
  void expect_scattered() const {
    for (std::size_t rank = 0; rank < memory.size(); ++rank)
      for (int64_t outer = 0; outer < e.d0 * e.d1 * e.d2; ++outer)
        for (int64_t i = 0; i < e.h; ++i)
          for (int64_t j = 0; j < e.row(); ++j)
            ASSERT_EQ(memory[rank][(outer * e.h + i) * e.row() + j], expected(static_cast<int64_t>(rank), outer, i, j))
                << "rank " << rank << " outer " << outer << " (" << i << "," << j << ")";
  }
  void expect_untouched() const {
    for (const auto& m : memory)
      for (float v : m) ASSERT_EQ(v, 0.0f);
  }
};

template <class... Tiles>
void scatters(int ranks, const Extents& e, Make<Tiles>... make) {
  for (const ptox::Target* t : ptox::target::on_host) {
    SCOPED_TRACE(t->name);
    World w(*t, ranks, e, 3);
    const ptox::Report r = w.scatter(make...);
    EXPECT_TRUE(r.clean()) << r;
    w.expect_scattered();
  }
}

TEST(comm_tscatter, splits_along_dim_3_and_ignores_surplus_rows) {
  for (int ranks : {1, 2, 3, 4}) scatters(ranks, {.h = 8, .w = 16}, staging<8, 16>());
}

TEST(comm_tscatter, keeps_outer_dimensions_apart) {
  scatters(3, {.d0 = 2, .d1 = 3, .d2 = 2, .h = 5, .w = 12}, staging<4, 8>());
  scatters(2, {.d0 = 2, .d1 = 1, .d2 = 2, .h = 5, .w = 12}, staging<8, 16>(), staging<8, 16>());
}

TEST(comm_tscatter, honours_row_strides) {
  scatters(3, {.h = 6, .w = 10, .gap = 5}, staging<4, 8>());
  scatters(3, {.h = 6, .w = 10, .gap = 5}, staging<4, 8>(), staging<4, 8>());
}

TEST(comm_tscatter, a_static_tile_walks_extents_that_it_divides) {
  scatters(3, {.h = 12, .w = 32}, fixed<4, 8>);
  scatters(3, {.h = 12, .w = 32}, fixed<4, 8>, fixed<4, 8>);
  scatters(2, {.h = 9, .w = 15}, fixed<4, 8, 3, 5>);
}

TEST(comm_tscatter, a_static_tile_larger_than_the_block_moves_only_the_block) {
  scatters(2, {.h = 3, .w = 5}, fixed<8, 16>);
}

TEST(comm_tscatter, chunks_follow_the_valid_extents_not_the_padded_ones) {
  scatters(2, {.h = 7, .w = 11}, staging<8, 16>(2, 3));
}

TEST(comm_tscatter, zero_rows_are_legal) { scatters(3, {.h = 0, .w = 16}, staging<8, 16>()); }

TEST(comm_tscatter, valid_extents_are_restored) {
  World w(ptox::target::a5, 2, {.h = 5, .w = 12});
  const ptox::Report r = w.dev.launch({}, [&] {
    auto g = w.group();
    Block src = w.source_tensor();
    Staging<4, 8> ping(4, 8), pong(4, 8);
    comm::TSCATTER(g, src, ping, pong);
    EXPECT_EQ(ping.GetValidRow(), 4);
    EXPECT_EQ(ping.GetValidCol(), 8);
    EXPECT_EQ(pong.GetValidRow(), 4);
  });
  EXPECT_TRUE(r.clean()) << r;
  w.expect_scattered();
}

TEST(comm_tscatter, data_goes_through_the_tile) {
  World w(ptox::target::a2a3, 2, {.h = 8, .w = 16});
  const ptox::Report r = w.dev.launch({}, [&] {
    auto g = w.group();
    Block src = w.source_tensor();
    Staging<8, 16> tile(8, 16);
    comm::TSCATTER(g, src, tile);
    pipe_barrier(PIPE_ALL);
    EXPECT_EQ(tile.GetValue(7, 15), w.source[2 * 8 * 16 - 1]);
  });
  EXPECT_TRUE(r.clean()) << r;
}

TEST(comm_tscatter, waits_for_trailing_events) {
  for (const ptox::Target* t : ptox::target::on_host) {
    World w(*t, 2, {.h = 8, .w = 16});
    const ptox::Report r = w.dev.launch({}, [&] {
      auto g = w.group(1);
      Block src = w.source_tensor();
      Staging<8, 16> tile(8, 16), other(8, 16);
      Event<Op::TLOAD, Op::TLOAD> a = TLOAD(other, src);
      Event<Op::TLOAD, Op::TLOAD, true, EVENT_ID5> b = TLOAD(other, src);
      comm::TSCATTER(g, src, tile, a, b);
    });
    EXPECT_TRUE(r.clean()) << r;
    w.expect_scattered();
  }
}

template <class T>
void moves_bytes(const ptox::Target& t) {
  using G = GlobalTensor<T, Shape<1, 1, 1, 4, 40>, BaseShape2D<T, 4, 40, Layout::ND>>;
  using S = GlobalTensor<T, Shape<1, 1, 1, 8, 40>, BaseShape2D<T, 8, 40, Layout::ND>>;
  ptox::Device dev(t);
  auto source = dev.alloc<T>(320), first = dev.alloc<T>(160), second = dev.alloc<T>(160);
  for (int i = 0; i < 320; ++i) reinterpret_cast<std::uint8_t*>(source.data())[i] = static_cast<std::uint8_t>(i);
  const ptox::Report r = dev.launch({}, [&] {
    G tensors[] = {{first.data()}, {second.data()}};
    comm::ParallelGroup<G> group(tensors, 2, 0);
    S src(source.data());
    Tile<TileType::Vec, T, 2, 32, BLayout::RowMajor, -1, -1> tile(2, 32);
    comm::TSCATTER(group, src, tile);
  });
  EXPECT_TRUE(r.clean()) << r;
  EXPECT_EQ(std::memcmp(first.data(), source.data(), 160), 0);
  EXPECT_EQ(std::memcmp(second.data(), source.data() + 160, 160), 0);
}

TEST(comm_tscatter, fp8_and_hifloat8_are_moved) {
  for (const ptox::Target* t : ptox::target::on_host) {
    moves_bytes<float8_e4m3_t>(*t);
    moves_bytes<float8_e5m2_t>(*t);
    moves_bytes<hifloat8_t>(*t);
  }
}

/// Expects an error of that kind whose message contains `named`, and no written byte at any rank.
void expect_error(const ptox::Report& r, const World& w, ptox::FindingKind kind,
                  const std::vector<std::string>& named) {
  ASSERT_TRUE(r.has(kind)) << kind << "\n" << r;
  for (const ptox::Finding& f : r.findings()) {
    if (f.kind != kind) continue;
    EXPECT_EQ(f.severity, ptox::Severity::error);
    EXPECT_NE(f.file.find("tscatter_test.cpp"), std::string::npos) << f;
    for (const std::string& value : named) EXPECT_NE(f.message.find(value), std::string::npos) << value << " in " << f;
  }
  w.expect_untouched();
}

TEST(comm_tscatter, a_static_tile_that_does_not_divide_is_an_error_with_both_values) {
  for (const ptox::Target* t : ptox::target::on_host) {
    World rows(*t, 2, {.h = 10, .w = 16}), cols(*t, 2, {.h = 8, .w = 20});
    expect_error(rows.scatter(fixed<4, 16>), rows, ptox::FindingKind::comm_divisible, {"10", "4"});
    expect_error(cols.scatter(fixed<8, 8>), cols, ptox::FindingKind::comm_divisible, {"20", "8"});
  }
}

TEST(comm_tscatter, in_chunks_a_static_tile_taller_than_the_block_does_not_divide_it) {
  World w(ptox::target::a5, 2, {.h = 3, .w = 32});
  expect_error(w.scatter(fixed<8, 16>), w, ptox::FindingKind::comm_divisible, {"3", "8"});
}

TEST(comm_tscatter, a_source_with_too_few_rows_is_an_error_with_both_values) {
  for (const ptox::Target* t : ptox::target::on_host) {
    World w(*t, 3, {.h = 8, .w = 16});
    w.source_rows = 23;
    expect_error(w.scatter(staging<8, 16>()), w, ptox::FindingKind::comm_shape, {"23", "24"});
  }
}

TEST(comm_tscatter, ranks_that_disagree_are_an_error_with_rank_and_both_values) {
  for (const ptox::Target* t : ptox::target::on_host) {
    World shape(*t, 3, {.h = 8, .w = 16}), stride(*t, 3, {.h = 8, .w = 16});
    shape.tensors[2].SetShape(DIM_3, 7);
    expect_error(shape.scatter(staging<8, 16>()), shape, ptox::FindingKind::comm_shape, {"rank 2", "7", "8"});
    stride.tensors[1].SetStride(DIM_3, 17);
    expect_error(stride.scatter(staging<8, 16>()), stride, ptox::FindingKind::comm_shape, {"rank 1", "17", "16"});
  }
}

TEST(comm_tscatter, a_root_out_of_range_is_an_error_with_both_values) {
  for (const ptox::Target* t : ptox::target::on_host)
    for (int root : {-1, 3, 99}) {
      World w(*t, 3, {.h = 8, .w = 16});
      const ptox::Report r = w.dev.launch({}, [&] {
        auto g = w.group(root);
        Block src = w.source_tensor();
        Staging<8, 16> tile(8, 16);
        comm::TSCATTER(g, src, tile);
      });
      expect_error(r, w, ptox::FindingKind::comm_root, {std::to_string(root), "3"});
    }
}

TEST(comm_tscatter, a_group_without_tensors_is_an_error) {
  World w(ptox::target::a5, 2, {.h = 8, .w = 16});
  const ptox::Report r = w.dev.launch({}, [&] {
    comm::ParallelGroup<Block> g(nullptr, 2, 0);
    Block src = w.source_tensor();
    Staging<8, 16> tile(8, 16);
    comm::TSCATTER(g, src, tile);
  });
  EXPECT_FALSE(r.clean());
}

TEST(comm_tscatter, a_rank_without_memory_is_an_error) {
  for (const ptox::Target* t : ptox::target::on_host) {
    World w(*t, 2, {.h = 8, .w = 16});
    w.tensors[1] = Block(nullptr, w.e.shape(8), w.e.stride(8));
    EXPECT_TRUE(w.scatter(staging<8, 16>()).has(ptox::FindingKind::oob_gm)) << t->name;
  }
}

TEST(comm_tscatter, a_staging_tile_outside_ub_is_an_error) {
  for (const ptox::Target* t : ptox::target::on_host) {
    World w(*t, 2, {.h = 8, .w = 16});
    const ptox::Report r = w.scatter(Make<Tile<TileType::Mat, float, 8, 16, BLayout::RowMajor, -1, -1>>{8, 16});
    EXPECT_FALSE(r.clean()) << t->name;
    w.expect_untouched();
  }
}

TEST(comm_tscatter, a_staging_tile_without_room_is_an_error) {
  for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5}) {
    World w(*t, 2, {.h = 8, .w = 16});
    const ptox::Report r = w.scatter(staging<1024, 128>(8, 16));
    EXPECT_TRUE(r.has(ptox::FindingKind::ub_overflow)) << r;
    w.expect_untouched();
  }
}

TEST(comm_tscatter, a_staging_tile_with_no_valid_element_is_an_error_and_no_hang) {
  for (const ptox::Target* t : ptox::target::on_host)
    for (int valid : {0, -1}) {
      World w(*t, 2, {.h = 8, .w = 16});
      EXPECT_FALSE(w.scatter(staging<8, 16>(valid, 16)).clean()) << t->name << valid;
      EXPECT_FALSE(w.scatter(staging<8, 16>(8, valid)).clean()) << t->name << valid;
      w.expect_untouched();
    }
}

}  // namespace
