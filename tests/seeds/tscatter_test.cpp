// SPDX-License-Identifier: Apache-2.0
// The comm::TSCATTER examples of S2 give every rank its rows, with one staging tile or two.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "seeds/feed.hpp"
#include "seeds/s2_scatter.hpp"
#include "seeds/s2_scatter_pingpong.hpp"

namespace {

using namespace seeds;

/// The root's rows and one buffer a rank, with one element too many each to see what lies behind.
template <class T, int Rows, int Cols, int Ranks>
struct Group {
  ptox::Device dev;
  ptox::Buffer<T> local;
  std::vector<ptox::Buffer<T>> blocks;
  T* addrs[Ranks];

  explicit Group(const ptox::Target& t) : dev(t), local(dev.alloc<T>(Ranks * Rows * Cols)) {
    fill(local.span());
    for (int r = 0; r < Ranks; ++r) {
      blocks.push_back(dev.alloc<T>(Rows * Cols + 1));
      addrs[r] = blocks.back().data();
    }
  }
  void expect_scattered() const {
    for (int r = 0; r < Ranks; ++r) {
      std::vector<T> want(Rows * Cols + 1);
      for (int i = 0; i < Rows; ++i)
        for (int j = 0; j < Cols; ++j) want[i * Cols + j] = local[(r * Rows + i) * Cols + j];
      EXPECT_TRUE(same_bytes(blocks[r].span(), want)) << "rank " << r << " of " << Ranks;
    }
  }
};

template <class T, int Rows, int Cols, int TileRows, int TileCols, int Ranks>
void single(const ptox::Target& t, int root) {
  Group<T, Rows, Cols, Ranks> g(t);
  constexpr auto kernel = s2_scatter::scatter<T, Rows, Cols, TileRows, TileCols, Ranks>;
  const ptox::Report report = g.dev.template launch<kernel>({}, g.local.data(), &g.addrs[0], root);
  EXPECT_TRUE(report.clean()) << report;
  g.expect_scattered();
}

template <class T, int Rows, int Cols, int TileRows, int TileCols, int Ranks>
void pingpong(const ptox::Target& t, int root) {
  Group<T, Rows, Cols, Ranks> g(t);
  const ptox::Report report = g.dev.launch({}, [&] {
    s2_scatter_pingpong::scatter_pingpong<T, Rows, Cols, TileRows, TileCols, Ranks>(g.local.data(), g.addrs, root);
  });
  EXPECT_TRUE(report.clean()) << report;
  g.expect_scattered();
}

template <class T, int Rows, int Cols, int TileRows, int TileCols, int Ranks>
void both(const ptox::Target& t) {
  for (int root = 0; root < Ranks; ++root) {
    single<T, Rows, Cols, TileRows, TileCols, Ranks>(t, root);
    pingpong<T, Rows, Cols, TileRows, TileCols, Ranks>(t, root);
  }
}

TEST(seed_tscatter, every_rank_gets_its_rows_at_one_to_four_ranks) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    both<float, 8, 16, 8, 16, 1>(*t);
    both<float, 8, 16, 8, 16, 2>(*t);
    both<float, 8, 16, 8, 16, 3>(*t);
    both<float, 8, 16, 8, 16, 4>(*t);
  }
}

TEST(seed_tscatter, a_smaller_tile_slides_over_rows_and_columns) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    both<float, 12, 32, 4, 32, 3>(*t);  // chunks of rows
    both<float, 12, 32, 12, 8, 3>(*t);  // chunks of columns
    both<float, 12, 32, 4, 8, 3>(*t);   // both
    both<float, 10, 20, 4, 8, 3>(*t);   // both, with a remainder in each
    both<float, 1, 1, 1, 8, 2>(*t);
  }
}

TEST(seed_tscatter, a_larger_tile_moves_only_the_block) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    both<float, 3, 5, 16, 32, 2>(*t);
    both<float, 3, 20, 16, 8, 2>(*t);
  }
}

TEST(seed_tscatter, every_element_size_moves) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    both<std::int8_t, 6, 40, 4, 32, 2>(*t);
    both<half, 6, 40, 4, 16, 2>(*t);
    both<bfloat16_t, 6, 40, 4, 32, 2>(*t);
    both<std::int32_t, 6, 40, 4, 16, 2>(*t);
  }
}

}  // namespace
