// SPDX-License-Identifier: Apache-2.0
// Lines describe the rows and columns of tiles and tensors; copies and fills of lines equal plain loops.
#include "loops/tiles/lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/system/random.hpp"
#include "random/any_operands.hpp"

namespace ptox {
namespace {

using pto::BLayout;
using pto::Layout;
using pto::SLayout;
using pto::instr::DType;
using pto::instr::element_offset;
using pto::instr::size_of;
using pto::instr::TensorDesc;
using pto::instr::TileDesc;

constexpr DType types[] = {DType::i8, DType::f16, DType::f32, DType::i64};

/// Expects that byte (line, b) of the lines is byte b of that row, or of that column, by the descriptor's own address.
template <class Desc>
void expect_lines(const Lines& lines, const Desc& d, std::byte* begin, bool rows, std::int64_t r, std::int64_t c) {
  const std::int64_t size = size_of(d.dtype);
  for (std::int64_t i = 0; i < r; ++i)
    for (std::int64_t j = 0; j < c; ++j) {
      std::byte* const expected = begin + element_offset(d, i, j) * size;
      std::byte* const at = rows ? lines.at(j * size) + i * lines.step : lines.at(i * size) + j * lines.step;
      ASSERT_EQ(at - begin, expected - begin) << (rows ? "row " : "column ") << i << "," << j;
    }
}

TEST(lines, of_random_tiles_have_the_addresses_of_their_elements) {
  Random random(3);
  std::vector<std::byte> memory(1 << 20);
  int row_tiles = 0, column_tiles = 0;
  for (int k = 0; k < 2000; ++k) {
    const DType d = types[random.below(4)];
    const TileDesc t =
        random_test::any_tile(random, d, random_test::one_to(random, 40), random_test::one_to(random, 40));
    if (const Lines rows = rows_of(t, memory.data()); rows.begin) {
      ++row_tiles;
      expect_lines(rows, t, memory.data(), true, t.rows, t.cols);
    }
    if (const Lines columns = columns_of(t, memory.data()); columns.begin) {
      ++column_tiles;
      expect_lines(columns, t, memory.data(), false, t.rows, t.cols);
    }
    const bool nz = t.blayout == BLayout::ColMajor && t.slayout == SLayout::RowMajor;
    const bool plain = t.slayout == SLayout::NoneBox;
    EXPECT_EQ(rows_of(t, memory.data()).begin != nullptr, nz || (plain && t.blayout == BLayout::RowMajor));
    EXPECT_EQ(columns_of(t, memory.data()).begin != nullptr, plain && t.blayout == BLayout::ColMajor);
  }
  EXPECT_GT(row_tiles, 500);
  EXPECT_GT(column_tiles, 100);
}

TEST(lines, of_random_tensors_have_the_addresses_of_their_elements) {
  Random random(4);
  std::vector<std::byte> memory(1 << 20);
  int found = 0;
  for (int k = 0; k < 2000; ++k) {
    const DType d = types[random.below(4)];
    const std::int64_t r = random_test::one_to(random, 40), c = random_test::one_to(random, 40);
    TensorDesc t = random_test::any_tensor(random, d, r, c);
    t.base = memory.data();
    if (const Lines rows = rows_of(t); rows.begin) ++found, expect_lines(rows, t, memory.data(), true, r, c);
    if (const Lines columns = columns_of(t); columns.begin)
      ++found, expect_lines(columns, t, memory.data(), false, r, c);
  }
  EXPECT_GT(found, 500);
}

TEST(lines, copies_equal_a_plain_loop_also_backwards_and_without_gaps) {
  for (const std::int64_t to_step : {12, 20, -12, -20})
    for (const std::int64_t from_step : {12, 24, -12, -24}) {
      std::vector<std::byte> from(400), to(400), expected(400);
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + 1);
      const Lines source{.begin = from.data() + 200, .step = from_step},
          target{.begin = to.data() + 200, .step = to_step};
      for (std::int64_t i = 0; i < 7; ++i)
        std::memcpy(expected.data() + 200 + i * to_step, from.data() + 200 + i * from_step, 12);
      copy_lines(target, source, 7, 12);
      EXPECT_EQ(to, expected) << to_step << " from " << from_step;
    }
}

TEST(lines, fills_write_elements_of_every_size) {
  const std::uint64_t bits = 0x1122334455667788u;
  for (const std::int64_t size : {1, 2, 4, 8})
    for (const std::int64_t step : {16, 24}) {
      std::vector<std::byte> bytes(200), expected(200);
      for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t b = 0; b < 16; b += size)
          std::memcpy(expected.data() + i * step + b, &bits, static_cast<std::size_t>(size));
      fill_lines({.begin = bytes.data(), .step = step}, 5, 16, size, bits);
      EXPECT_EQ(bytes, expected) << size << " at " << step;
    }
}

TEST(lines, that_share_bytes_are_neither_same_nor_apart) {
  std::vector<std::byte> bytes(1000);
  const auto at = [&](std::int64_t first, std::int64_t step) {
    return Lines{.begin = bytes.data() + first, .step = step};
  };
  EXPECT_TRUE(same_or_apart(at(0, 16), at(0, 16), 10, 16));
  EXPECT_TRUE(same_or_apart(at(0, 16), at(160, 16), 10, 16));
  EXPECT_TRUE(same_or_apart(at(144, -16), at(160, 16), 10, 16));
  EXPECT_FALSE(same_or_apart(at(0, 16), at(159, 16), 10, 16));
  EXPECT_FALSE(same_or_apart(at(0, 16), at(8, 16), 10, 16));
  EXPECT_FALSE(same_or_apart(at(160, 16), at(320, -16), 11, 16));
  EXPECT_FALSE(same_or_apart(at(0, 16), at(0, 32), 10, 16));
}

}  // namespace
}  // namespace ptox
