// SPDX-License-Identifier: Apache-2.0
// Rows of every width, alignment, stride and number are moved correctly, and no other byte changes.
#include "host/ops_case.hpp"

namespace ptox::ops_test {
namespace {

using Byte = std::uint8_t;

class ops_rows : public AtLevel {};
INSTANTIATE_TEST_SUITE_P(level, ops_rows, testing::ValuesIn(all_levels()), level_name);

constexpr std::int64_t widest = 300;
constexpr std::array<std::int64_t, 27> some_widths{1,  2,  3,  4,  7,  8,   12,  15,  16,  17,  24,  31,  32, 33,
                                                   48, 63, 64, 65, 96, 127, 128, 129, 192, 255, 256, 257, 300};
constexpr std::array<std::int64_t, 8> row_counts{0, 1, 2, 7, 63, 64, 65, 1000};

/// Checks both directions: from the table to the other tensor and back.
template <class T>
void check_both(Random& random, const Shape& table, const Shape& other) {
  with_index_type(random.next(), [&]<class I>() {
    const auto idx = random_indices<I>(random, other.rows, static_cast<std::uint64_t>(table.rows));
    check_gather_rows<T, I>(random, table, other, idx, pto::GatherOOB::Undefined);
    const auto conflict = random.below(2) ? pto::ScatterConflict::Last : pto::ScatterConflict::Default;
    check_scatter_rows<T, I>(random, table, other, idx, {.conflict = conflict});
  });
}

std::int64_t below(Random& random, std::uint64_t n) { return static_cast<std::int64_t>(random.below(n)); }

TEST_P(ops_rows, every_width_at_random_alignments) {
  Random random(1);
  for (std::int64_t width = 1; width <= widest; ++width)
    for (int round = 0; round < 6 && !HasFatalFailure(); ++round)
      check_both<Byte>(random, {1 + below(random, 20), width, 0, below(random, 64)},
                       {below(random, 70), width, 0, below(random, 64)});
}

TEST_P(ops_rows, every_alignment_of_the_table) {
  Random random(2);
  for (const std::int64_t width : some_widths)
    for (std::int64_t at = 0; at < 64 && !HasFatalFailure(); ++at)
      check_both<Byte>(random, {5, width, 0, at}, {9, width, 0, below(random, 64)});
}

TEST_P(ops_rows, every_alignment_of_out_and_src) {
  Random random(3);
  for (const std::int64_t width : some_widths)
    for (std::int64_t at = 0; at < 64 && !HasFatalFailure(); ++at)
      check_both<Byte>(random, {5, width, 0, below(random, 64)}, {9, width, 0, at});
}

TEST_P(ops_rows, every_pair_of_alignments) {
  Random random(4);
  for (const std::int64_t width : {13, 64, 100})
    for (std::int64_t at = 0; at < 64 * 64 && !HasFatalFailure(); at += emulated ? 7 : 1)
      check_both<Byte>(random, {3, width, 0, at / 64}, {4, width, 0, at % 64});
}

TEST_P(ops_rows, bytes_between_rows_stay) {
  Random random(5);
  for (std::int64_t width = 1; width <= widest; ++width)
    for (const std::int64_t gap : {1, 3, 29, 64, 200}) {
      const std::int64_t other = below(random, 2) ? gap : below(random, 5);
      check_both<Byte>(random, {1 + below(random, 9), width, gap, below(random, 64)},
                       {below(random, 12), width, other, below(random, 64)});
      if (HasFatalFailure()) return;
    }
}

TEST_P(ops_rows, every_number_of_rows) {
  Random random(6);
  for (const std::int64_t rows : row_counts)
    for (const std::int64_t width : some_widths)
      for (const std::int64_t gap : {0, 5}) {
        check_both<Byte>(random, {37, width, gap, below(random, 64)}, {rows, width, 0, below(random, 64)});
        if (HasFatalFailure()) return;
      }
}

TEST_P(ops_rows, every_width_of_a_thousand_rows) {
  Random random(7);
  for (std::int64_t width = 1; width <= widest && !HasFatalFailure(); width += emulated ? 7 : 1)
    check_both<Byte>(random, {113, width, 0, below(random, 64)}, {1000, width, 0, below(random, 64)});
}

TEST_P(ops_rows, wide_rows) {
  Random random(8);
  for (const std::int64_t width : {511, 512, 1000, 1024, 4095, 4096, 4097, 16384, 65539, 300000})
    for (const std::int64_t gap : {0, 64, 77}) {
      check_both<Byte>(random, {3, width, gap, below(random, 64)}, {5, width, below(random, 2) * gap, 0});
      if (HasFatalFailure()) return;
    }
}

template <class T>
void check_elements_of_rows() {
  Random random(sizeof(T));
  for (std::int64_t width = 1; width <= 70 && !testing::Test::HasFatalFailure(); ++width) {
    const auto at = [&] { return below(random, 64 / alignof(T)) * static_cast<std::int64_t>(alignof(T)); };
    check_both<T>(random, {1 + below(random, 9), width, below(random, 3), at()},
                  {below(random, 40), width, below(random, 3), at()});
  }
}

TEST_P(ops_rows, elements_of_every_size) {
  struct Three {
    Byte bytes[3];
  };
  check_elements_of_rows<std::uint16_t>();
  check_elements_of_rows<pto::half>();
  check_elements_of_rows<float>();
  check_elements_of_rows<double>();
  check_elements_of_rows<Three>();
  check_elements_of_rows<Triple>();
  check_elements_of_rows<pto::hifloat8_t>();
}

TEST_P(ops_rows, of_no_width_move_nothing) {
  Random random(9);
  check_both<Byte>(random, {3, 0, 4, 0}, {70, 0, 2, 0});
  check_both<float>(random, {3, 0, 0, 0}, {70, 0, 0, 0});
}

TEST_P(ops_rows, none_of_them_need_no_memory) {
  const Rows<float> nothing{nullptr, 0, 8};
  std::vector<float> table(16, 1.0f);
  const std::vector<std::int32_t> idx;
  EXPECT_NO_THROW(ptox::gather_rows(Rows{table.data(), 2, 8}, idx, nothing));
  EXPECT_NO_THROW(ptox::scatter_rows(Rows{table.data(), 2, 8}, idx, nothing));
  EXPECT_NO_THROW(ptox::gather_rows(nothing, idx, nothing));
  EXPECT_EQ(table, std::vector<float>(16, 1.0f));
}

/// Overlapping windows: rows of a tensor that is only read may share bytes.
TEST_P(ops_rows, of_a_tensor_that_is_only_read_may_overlap) {
  Random random(10);
  for (const std::int64_t width : some_widths)
    for (const std::int64_t stride : {std::int64_t{0}, std::int64_t{1}, width / 2}) {
      const std::int64_t gap = stride - width;
      const auto idx = random_indices<std::int32_t>(random, 65, 20);
      check_gather_rows<Byte, std::int32_t>(random, {20, width, gap, 3}, {65, width, 2, 5}, idx, {});
      check_scatter_rows<Byte, std::int32_t>(random, {20, width, 1, 3}, {65, width, gap, 5}, idx, {});
      if (HasFatalFailure()) return;
    }
}

TEST_P(ops_rows, one_row_may_stand_for_very_many) {
  const std::vector<std::int32_t> row{1, 2, 3, 4};
  const std::vector<std::int64_t> idx{0, (std::int64_t{1} << 40) - 1, 5};
  std::vector<std::int32_t> out(12);
  ptox::gather_rows(Rows{row.data(), std::int64_t{1} << 40, 4, 0}, idx, Rows{out.data(), 3, 4});
  EXPECT_EQ(out, (std::vector<std::int32_t>{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace ptox::ops_test
