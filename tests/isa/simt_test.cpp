// SPDX-License-Identifier: Apache-2.0
// A SIMT launch has the dimensions that the manual specifies, and every lane is visited once.
#include "pto/isa/simt.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace pto::instr {
namespace {

TEST(simt, rows_have_a_warp_each_and_spare_warps_share_wide_rows) {
  const auto expect = [](std::int64_t rows, std::int64_t cols, std::int64_t row_warps, std::int64_t per_row) {
    const SimtShape s = simt_shape(rows, cols, true);
    EXPECT_EQ(s.row_warps, row_warps) << rows << "x" << cols;
    EXPECT_EQ(s.warps_per_row, per_row) << rows << "x" << cols;
  };
  expect(1, 32, 1, 1);
  expect(1, 33, 1, 2);
  expect(1, 4096, 1, 32);
  expect(8, 256, 8, 4);
  expect(8, 64, 8, 2);
  expect(31, 512, 31, 1);
  expect(32, 512, 32, 1);
  expect(1000, 512, 32, 1);
}

TEST(simt, elements_come_in_runs_of_32_up_to_32_warps) {
  EXPECT_EQ(simt_shape(1, 1, false).warps(), 1);
  EXPECT_EQ(simt_shape(1, 33, false).warps(), 2);
  EXPECT_EQ(simt_shape(32, 32, false).warps(), 32);
  EXPECT_EQ(simt_shape(64, 64, false).warps(), 32);
}

TEST(simt, every_lane_is_visited_once) {
  for (const bool by_row : {true, false})
    for (std::int64_t rows : {1, 2, 7, 32, 33, 100})
      for (std::int64_t cols : {1, 8, 31, 32, 33, 200}) {
        std::map<std::pair<std::int64_t, std::int64_t>, int> seen;
        const SimtShape shape = simt_shape(rows, cols, by_row);
        ASSERT_LE(shape.warps(), most_warps);
        for (std::int64_t w = 0; w < shape.warps(); ++w)
          walk_warp(shape, w, rows, cols, by_row, [&](std::int64_t r, std::int64_t c) { ++seen[{r, c}]; });
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(rows * cols)) << rows << "x" << cols;
        for (const auto& [at, times] : seen) ASSERT_EQ(times, 1) << at.first << "," << at.second;
      }
}

}  // namespace
}  // namespace pto::instr
