// SPDX-License-Identifier: Apache-2.0
// The MSCATTER examples of S0 write what their formulas say, on every target that accepts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "seeds/feed.hpp"
#include "seeds/s0_gradient_accumulation.hpp"
#include "seeds/s0_manual.hpp"
#include "seeds/s0_sparse_update.hpp"
#include "seeds/s0_weight_update.hpp"

namespace {

using namespace seeds;

/// a2a3 has no [R, 1] index: the example is rejected with the spelling that works, and the table stays.
template <class T>
void expect_rejected(const ptox::Report& report, const ptox::Buffer<T>& table, const std::vector<T>& before,
                     const std::string& rows) {
  const std::string spelling = "1, " + rows + ", BLayout::RowMajor, 1, " + rows + ">";
  EXPECT_FALSE(report.clean());
  EXPECT_NE(message(report, ptox::FindingKind::illegal).find(spelling), std::string::npos) << report;
  EXPECT_TRUE(same_bytes(table.span(), before));
}

template <class T, int Rows, int Width, int TableRows>
void weight_update(const ptox::Target& target, const std::vector<std::int32_t>& rows) {
  using IdxTile = pto::Tile<pto::TileType::Vec, std::int32_t, Rows, 1>;
  using SrcTile = pto::Tile<pto::TileType::Vec, T, Rows, Width>;
  ptox::Device dev(target);
  auto table = dev.alloc<T>(TableRows * Width), src = dev.alloc<T>(Rows * Width);
  auto idx = dev.alloc<std::int32_t>(Rows);
  fill(table.span(), 11);
  fill(src.span(), 500);
  std::copy(rows.begin(), rows.end(), idx.begin());
  std::vector<T> want = copy_of(table);
  const std::vector<T> before = want;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Width; ++j)
      if (static_cast<std::uint32_t>(idx[i]) < TableRows) want[idx[i] * Width + j] = src[i * Width + j];
  const ptox::Report report = dev.launch({}, [&] {
    put<IdxTile>(0x0, idx.data());
    put<SrcTile>(0x1000, src.data());
    s0_weight_update::example_weight_update<T, Rows, Width, TableRows>(table.data(), idx.data());
  });
  if (&target == &ptox::target::a2a3) return expect_rejected(report, table, before, std::to_string(Rows));
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_TRUE(same_bytes(table.span(), want));
}

TEST(seed_mscatter, weight_update_writes_rows_and_skips_those_past_the_table) {
  const std::vector<std::int32_t> eight{3, 0, 19, 20, -1, 7, 21, 5};
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    weight_update<float, 8, 64, 20>(*t, eight);
    weight_update<half, 8, 64, 20>(*t, eight);
    weight_update<std::int8_t, 8, 32, 20>(*t, eight);
    weight_update<bfloat16_t, 8, 16, 20>(*t, eight);
  }
}

std::vector<std::int32_t> token_indices() {
  return {5, 65535, 5, 0, 65536, -1, 40000, 5, 0, 123, 2147483647, 40000, 65535, 1, 2, 3};
}

void gradient_accumulation(const ptox::Target& target) {
  using IdxTile = pto::Tile<pto::TileType::Vec, std::int32_t, 16, 1>;
  using GradTile = pto::Tile<pto::TileType::Vec, float, 16, 64>;
  ptox::Device dev(target);
  auto table = dev.alloc<float>(65536 * 64), grads = dev.alloc<float>(16 * 64);
  auto idx = dev.alloc<std::int32_t>(16);
  fill(grads.span(), 3);
  const auto tokens = token_indices();
  std::copy(tokens.begin(), tokens.end(), idx.begin());
  std::fill_n(table.data() + 5 * 64, 64, 0.125f);
  std::vector<float> want = copy_of(table);
  const std::vector<float> before = want;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 64; ++j)
      if (static_cast<std::uint32_t>(idx[i]) < 65536) want[idx[i] * 64 + j] += grads[i * 64 + j];
  const ptox::Report report = dev.launch({}, [&] {
    put<IdxTile>(0x0, idx.data());
    put<GradTile>(0x1000, grads.data());
    s0_gradient_accumulation::example_gradient_accumulation(table.data(), idx.data());
  });
  if (&target == &ptox::target::a2a3) return expect_rejected(report, table, before, "16");
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_TRUE(same_bytes(table.span(), want));
}

TEST(seed_mscatter, gradient_accumulation_adds_every_row_of_a_token) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    gradient_accumulation(*t);
  }
}

void sparse_update(const ptox::Target& target) {
  using IdxTile = pto::Tile<pto::TileType::Vec, std::int32_t, 16, 16>;
  using SrcTile = pto::Tile<pto::TileType::Vec, float, 16, 16>;
  ptox::Device dev(target);
  auto data = dev.alloc<float>(1024 * 64), src = dev.alloc<float>(256);
  auto idx = dev.alloc<std::int32_t>(256);
  fill(data.span(), 7);
  fill(src.span(), 300);
  for (int k = 0; k < 256; ++k) idx[k] = k * 255 + 65536 * (k % 3);
  idx[255] = -1;  // 4294967295 % 65536 = 65535
  std::vector<float> want = copy_of(data);
  for (int k = 0; k < 256; ++k) want[static_cast<std::uint32_t>(idx[k]) % 65536u] = src[k];
  const ptox::Report report = dev.launch({}, [&] {
    put<IdxTile>(0x0, idx.data());
    put<SrcTile>(0x2000, src.data());
    s0_sparse_update::example_sparse_update(data.data(), idx.data());
  });
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_EQ(want[65535], src[255]);
  EXPECT_TRUE(same_bytes(data.span(), want));
}

TEST(seed_mscatter, sparse_update_wraps_elements) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    sparse_update(*t);
  }
}

void manual(const ptox::Target& target) {
  using IdxTile = pto::Tile<pto::TileType::Vec, std::int32_t, 8, 1>;
  using SrcTile = pto::Tile<pto::TileType::Vec, half, 8, 64>;
  ptox::Device dev(target);
  auto table = dev.alloc<half>(65536 * 64), src = dev.alloc<half>(8 * 64);
  auto idx = dev.alloc<std::int32_t>(8);
  fill(src.span(), 42);
  const std::int32_t rows[] = {9, 65534, 0, 1, -1, 1000, 31, 32};  // -1 is clamped to the last row
  std::copy(std::begin(rows), std::end(rows), idx.begin());
  std::vector<half> want = copy_of(table);
  const std::vector<half> before = want;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 64; ++j) want[std::min(static_cast<std::uint32_t>(rows[i]), 65535u) * 64 + j] = src[i * 64 + j];
  s0_manual::the_table = table.data();
  const ptox::Report report = dev.launch({}, [&] {
    put<IdxTile>(0x0, idx.data());
    put<SrcTile>(0x1000, src.data());
    s0_manual::example_manual();
  });
  if (&target == &ptox::target::a2a3) return expect_rejected(report, table, before, "8");
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_TRUE(same_bytes(table.span(), want));
}

TEST(seed_mscatter, manual_example_clamps_rows) {
  for (const ptox::Target* t : host_targets) {
    SCOPED_TRACE(t->name);
    manual(*t);
  }
}

}  // namespace
