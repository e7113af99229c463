// SPDX-License-Identifier: Apache-2.0
// Operands that may share memory, and those that may only be adjacent.
#include <numeric>
#include <vector>

#include "host/ops_case.hpp"
#include "host/ops_says.hpp"

namespace ptox::ops_test {
namespace {

using Byte = std::uint8_t;
using Ints = std::vector<std::int32_t>;

struct ops_overlap : testing::Test {
  std::vector<Byte> memory = std::vector<Byte>(256);
  Ints idx{2, 0, 1};
  void SetUp() override { std::iota(memory.begin(), memory.end(), Byte{0}); }

  Rows<Byte> window(std::int64_t at, std::int64_t rows, std::int64_t width, std::int64_t stride) {
    return {memory.data() + at, rows, width, stride};
  }
  void refused(Rows<Byte> table, Rows<Byte> other) {
    const auto before = memory;
    expect_invalid([&] { ptox::gather_rows(table, idx, other); }, {"gather_rows", "out", "table"});
    expect_invalid([&] { ptox::scatter_rows(table, idx, other); }, {"scatter_rows", "table", "src"});
    EXPECT_EQ(memory, before) << "written before the throw";
  }
  /// Expects the results that operands with separate memory would give.
  void right(Rows<Byte> table, Rows<Byte> other) {
    const auto before = memory;
    const auto moved = [&](std::int64_t i, std::int64_t c) {
      return other.data - memory.data() + i * other.stride + c;
    };
    const auto slot = [&](std::int64_t i, std::int64_t c) {
      return table.data - memory.data() + idx[static_cast<std::size_t>(i)] * table.stride + c;
    };
    auto gathered = before, scattered = before;
    for (std::int64_t i = 0; i < other.rows; ++i)
      for (std::int64_t c = 0; c < other.width; ++c) {
        gathered[static_cast<std::size_t>(moved(i, c))] = before[static_cast<std::size_t>(slot(i, c))];
        scattered[static_cast<std::size_t>(slot(i, c))] = before[static_cast<std::size_t>(moved(i, c))];
      }
    ASSERT_NO_THROW(ptox::gather_rows(table, idx, other));
    EXPECT_EQ(memory, gathered);
    memory = before;
    ASSERT_NO_THROW(ptox::scatter_rows(table, idx, other));
    EXPECT_EQ(memory, scattered);
    memory = before;
  }
};

TEST_F(ops_overlap, the_same_rows_are_refused) { refused(window(0, 3, 8, 8), window(0, 3, 8, 8)); }

TEST_F(ops_overlap, one_shared_byte_is_refused) {
  refused(window(0, 4, 8, 8), window(31, 3, 8, 8));
  refused(window(50, 4, 8, 8), window(27, 3, 8, 8));
  refused(window(0, 5, 40, 40), window(100, 3, 8, 40));
}

TEST_F(ops_overlap, rows_side_by_side_are_right) {
  right(window(0, 4, 8, 8), window(32, 3, 8, 8));
  right(window(24, 4, 8, 8), window(0, 3, 8, 8));
}

TEST_F(ops_overlap, columns_side_by_side_are_right) {
  right(window(0, 5, 8, 16), window(8, 3, 8, 16));
  right(window(8, 5, 8, 16), window(0, 3, 8, 16));
  right(window(0, 5, 3, 8), window(5, 3, 3, 8));
  right(window(4, 5, 5, 20), window(69, 3, 5, 20));
}

TEST_F(ops_overlap, columns_that_share_one_byte_are_refused) {
  refused(window(0, 5, 9, 16), window(8, 3, 9, 16));
  refused(window(0, 5, 4, 8), window(5, 3, 4, 8));  // the last byte is the first of the next row
  refused(window(64, 5, 4, 16), window(67, 3, 4, 16));
}

TEST_F(ops_overlap, columns_side_by_side_of_many_rows_and_threads) {
  std::vector<float> both(40'000 * 24);
  Random random(71);
  for (float& x : both) x = static_cast<float>(random.below(1000));
  const auto many = random_indices<std::int32_t>(random, 40'000, 40'000);
  auto expected = both;
  for (std::size_t i = 0; i < many.size(); ++i)
    for (std::size_t c = 0; c < 12; ++c) expected[i * 24 + 12 + c] = both[static_cast<std::size_t>(many[i]) * 24 + c];
  ptox::gather_rows(Rows{both.data(), 40'000, 12, 24}, many, Rows{both.data() + 12, 40'000, 12, 24}, {.threads = 3});
  EXPECT_EQ(both, expected);
}

TEST_F(ops_overlap, indices_are_never_written) {
  std::vector<std::int32_t> words{0, 1, 2, 3, 4, 5, 6, 7};
  const auto before = words;
  const std::vector<std::int32_t> apart{9, 8, 7, 6, 5, 4, 3, 2};
  const std::span<std::int32_t> all(words);
  expect_invalid([&] { ptox::gather(apart, all, all); }, {"gather", "out", "idx"});
  expect_invalid([&] { ptox::gather(apart, all.first(4), all.subspan(3, 4)); }, {"gather", "out", "idx"});
  expect_invalid([&] { ptox::scatter(all, all, apart); }, {"scatter", "table", "idx"});
  expect_invalid([&] { ptox::scatter(all.first(4), all.subspan(3, 4), std::span(apart).first(4)); },
                 {"scatter", "table", "idx"});
  EXPECT_EQ(words, before);
}

TEST_F(ops_overlap, elements_are_refused_and_may_lie_side_by_side) {
  std::vector<std::int32_t> words{0, 1, 2, 3, 4, 5, 6, 7};
  const std::span<std::int32_t> all(words);
  expect_invalid([&] { ptox::gather(all.first(5), idx, all.subspan(4, 3)); }, {"gather", "out", "table"});
  expect_invalid([&] { ptox::scatter(all.first(5), idx, all.subspan(4, 3)); }, {"scatter", "table", "src"});
  EXPECT_EQ(words[4], 4);
  ptox::gather(all.first(5), idx, all.subspan(5, 3));
  EXPECT_EQ(words, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 2, 0, 1}));
}

TEST_F(ops_overlap, operands_that_are_only_read_may_share_all) {
  const std::vector<std::int32_t> words{2, 0, 1};
  std::vector<std::int32_t> out(3);
  ptox::gather(words, words, out);
  EXPECT_EQ(out, (std::vector<std::int32_t>{1, 2, 0}));
  ptox::scatter(out, words, words);
  EXPECT_EQ(out, (std::vector<std::int32_t>{0, 1, 2}));
}

TEST_F(ops_overlap, nothing_overlaps_nothing) {
  idx.clear();
  EXPECT_NO_THROW(ptox::gather_rows(window(0, 4, 8, 8), idx, window(3, 0, 8, 8)));
  EXPECT_NO_THROW(ptox::scatter_rows(window(0, 4, 8, 8), idx, window(3, 0, 8, 8)));
}

}  // namespace
}  // namespace ptox::ops_test
