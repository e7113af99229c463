// SPDX-License-Identifier: Apache-2.0
// The MGATHER examples of S3 read what their formulas say, on every target that accepts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "seeds/feed.hpp"
#include "seeds/s3_auto.hpp"
#include "seeds/s3_dynamic.hpp"
#include "seeds/s3_elem_2d.hpp"
#include "seeds/s3_embedding_lookup.hpp"
#include "seeds/s3_manual.hpp"
#include "seeds/s3_row_colidx.hpp"
#include "seeds/s3_scalar.hpp"

namespace {

using namespace seeds;
using F16x16 = pto::Tile<pto::TileType::Vec, float, 16, 16>;
using I16x16 = pto::Tile<pto::TileType::Vec, std::int32_t, 16, 16>;

/// A table of 32 x 16, 256 indices into it, and room for the result.
struct Square {
  ptox::Device dev;
  ptox::Buffer<float> table, out;
  ptox::Buffer<std::int32_t> idx;
  std::vector<float> want;

  explicit Square(const ptox::Target& t)
      : dev(t), table(dev.alloc<float>(512)), out(dev.alloc<float>(256)), idx(dev.alloc<std::int32_t>(256)), want(256) {
    fill(table.span());
    for (int k = 0; k < 256; ++k) idx[k] = (k * 37 + 5) % 512;
    for (int k = 0; k < 256; ++k) want[k] = table[idx[k]];
  }
};

TEST(seed_mgather, auto_example_gathers_elements) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    Square s(*t);
    s3_auto::src = {s.table.data()};
    const ptox::Report report = s.dev.launch({}, [&] {
      Packed<F16x16> out(s.out.data());
      Packed<I16x16> indices(s.idx.data());
      {  // tiles of the same types in the same order get the places that the example's tiles will get
        F16x16 dst;
        I16x16 idx;
        TEXPANDS(dst, 0.0f);
        TLOAD(idx, indices);
        pipe_barrier(PIPE_ALL);
      }
      s3_auto::example_auto();
      pipe_barrier(PIPE_ALL);
      F16x16 dst;
      TSTORE(out, dst);
    });
    EXPECT_TRUE(report.clean()) << report;
    EXPECT_TRUE(same_bytes(s.out.span(), s.want));
  }
}

TEST(seed_mgather, manual_example_gathers_elements) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    Square s(*t);
    s3_manual::src = {s.table.data()};
    const ptox::Report report = s.dev.launch({}, [&] {
      put<I16x16>(0x2000, s.idx.data());
      s3_manual::example_manual();
      take<F16x16>(0x1000, s.out.data());
    });
    EXPECT_TRUE(report.clean()) << report;
    EXPECT_TRUE(same_bytes(s.out.span(), s.want));
  }
}

template <class T, int R, int C, int TableRows>
void embedding_lookup(const ptox::Target& target) {
  using DstTile = pto::Tile<pto::TileType::Vec, T, R, C, pto::BLayout::RowMajor, R, C>;
  ptox::Device dev(target);
  auto table = dev.alloc<T>(TableRows * C), out = dev.alloc<T>(R * C);
  auto idx = dev.alloc<std::int32_t>(R);
  fill(table.span(), 1);
  const std::int32_t boundary[] = {0, TableRows - 1, TableRows, -1, INT32_MIN, INT32_MAX};
  for (int r = 0; r < R; ++r) idx[r] = r < 6 ? boundary[r] : r * 7 % TableRows;
  std::vector<T> want(R * C);
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < C; ++j)
      want[r * C + j] = table[std::min(static_cast<std::uint32_t>(idx[r]), TableRows - 1u) * C + j];
  const ptox::Report report = dev.launch({}, [&] {
    s3_embedding_lookup::example_embedding_lookup<T, R, C, TableRows>(table.data(), idx.data(), out.data());
    take<DstTile>(0x0000, out.data());
  });
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_TRUE(same_bytes(out.span(), want));
}

TEST(seed_mgather, embedding_lookup_clamps_rows) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    embedding_lookup<float, 8, 64, 100>(*t);
    embedding_lookup<half, 16, 128, 7>(*t);
    embedding_lookup<std::uint8_t, 32, 32, 1>(*t);
    embedding_lookup<bfloat16_t, 8, 16, 50257>(*t);
  }
}

TEST(seed_mgather, elem_2d_wraps_elements) {
  using DstTile = pto::Tile<pto::TileType::Vec, float, 8, 32, pto::BLayout::RowMajor, 8, 32>;
  using IdxTile = pto::Tile<pto::TileType::Vec, std::int32_t, 8, 32, pto::BLayout::RowMajor, 8, 32>;
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    ptox::Device dev(*t);
    auto table = dev.alloc<float>(256), out = dev.alloc<float>(256);
    auto idx = dev.alloc<std::int32_t>(256);
    fill(table.span());
    std::vector<float> want(256);
    for (int k = 0; k < 256; ++k) idx[k] = k % 2 ? -k : k * 1000003;
    for (int k = 0; k < 256; ++k) want[k] = table[static_cast<std::uint32_t>(idx[k]) % 256u];
    const ptox::Report report = dev.launch({}, [&] {
      put<IdxTile>(0x0800, idx.data());
      s3_elem_2d::example_elem_2d(table.data(), idx.data());
      take<DstTile>(0x0000, out.data());
    });
    EXPECT_TRUE(report.clean()) << report;
    EXPECT_TRUE(same_bytes(out.span(), want));
  }
}

void row_colidx(const ptox::Target& target) {
  using DstTile = pto::Tile<pto::TileType::Vec, half, 8, 64, pto::BLayout::RowMajor, 8, 64>;
  ptox::Device dev(target);
  auto table = dev.alloc<half>(64 * 64), out = dev.alloc<half>(8 * 64), before = dev.alloc<half>(8 * 64);
  auto idx = dev.alloc<std::int32_t>(8);
  fill(table.span());
  fill(before.span(), 60);
  const std::int32_t rows[] = {63, 0, 7, 7, 31, 12, 1, 50};
  std::copy(std::begin(rows), std::end(rows), idx.begin());
  std::vector<half> want(8 * 64);
  for (int r = 0; r < 8; ++r)
    for (int j = 0; j < 64; ++j) want[r * 64 + j] = table[rows[r] * 64 + j];
  const ptox::Report report = dev.launch({}, [&] {
    put<DstTile>(0x0000, before.data());
    s3_row_colidx::example_row_colidx(table.data(), idx.data());
    take<DstTile>(0x0000, out.data());
  });
  const bool legal = &target != &ptox::target::a2a3;
  EXPECT_EQ(report.clean(), legal) << report;
  EXPECT_EQ(report.has(ptox::FindingKind::illegal), !legal) << report;
  EXPECT_TRUE(same_bytes(out.span(), legal ? want : copy_of(before)));
}

TEST(seed_mgather, row_colidx_is_for_cpu_and_a5) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    row_colidx(*t);
  }
}

TEST(seed_mgather, scalar_example_gathers_one_element) {
  using DstTile = pto::Tile<pto::TileType::Vec, float, 1, 8, pto::BLayout::RowMajor, 1, 1>;
  using IdxTile = pto::Tile<pto::TileType::Vec, std::int32_t, 1, 8, pto::BLayout::RowMajor, 1, 1>;
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    ptox::Device dev(*t);
    auto table = dev.alloc<float>(32), out = dev.alloc<float>(8);
    auto idx = dev.alloc<std::int32_t>(1);
    fill(table.span());
    idx[0] = 29;
    const ptox::Report report = dev.launch({}, [&] {
      put<IdxTile>(0x0080, idx.data());
      s3_scalar::example_scalar(table.data(), idx.data());
      take<DstTile>(0x0000, out.data());
    });
    EXPECT_TRUE(report.clean()) << report;
    EXPECT_TRUE(same_bytes(out.span(), {table[29], 0, 0, 0, 0, 0, 0, 0}));
  }
}

TEST(seed_mgather, dynamic_shapes_gather_nine_elements_of_a_3x10_table) {
  using DstTile = pto::Tile<pto::TileType::Vec, float, 1, 16, pto::BLayout::RowMajor, 1, 9>;
  using IdxTile = pto::Tile<pto::TileType::Vec, std::int32_t, 1, 16, pto::BLayout::RowMajor, 1, 9>;
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    ptox::Device dev(*t);
    auto table = dev.alloc<float>(30), out = dev.alloc<float>(9);
    auto idx = dev.alloc<std::int32_t>(9);
    fill(table.span());
    std::vector<float> want(9);
    for (int k = 0; k < 9; ++k) idx[k] = 29 - 3 * k, want[k] = table[idx[k]];
    const ptox::Report report = dev.launch({}, [&] {
      put<IdxTile>(0x0400, idx.data());
      s3_dynamic::example_dynamic(table.data(), 0x0000, 0x0400);
      take<DstTile>(0x0000, out.data());
    });
    EXPECT_TRUE(report.clean()) << report;
    EXPECT_TRUE(same_bytes(out.span(), want));
  }
}

}  // namespace
