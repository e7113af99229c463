// SPDX-License-Identifier: Apache-2.0
// Sums, maxima and minima are those of a plain loop, for every type that supports them.
#include <numeric>

#include "host/ops_case.hpp"

namespace ptox::ops_test {
namespace {

class ops_updates : public AtLevel {};
INSTANTIATE_TEST_SUITE_P(level, ops_updates, testing::ValuesIn(all_levels()), level_name);

/// Few slots and many sources, so that most updates collide; then many slots.
template <class T>
void check_rows() {
  Random random(21);
  for (std::int64_t width = 1; width <= 300; width += width < 70 ? 1 : 23)
    for (const auto op : updates)
      with_index_type(random.next(), [&]<class I>() {
        const std::int64_t capacity = 1 + static_cast<std::int64_t>(random.below(random.below(2) ? 3 : 40));
        const auto at = [&] { return static_cast<std::int64_t>(random.below(64 / sizeof(T)) * sizeof(T)); };
        const Shape table{capacity, width, static_cast<std::int64_t>(random.below(3)), at()};
        const Shape src{static_cast<std::int64_t>(random.below(70)), width, static_cast<std::int64_t>(random.below(3)),
                        at()};
        const auto idx = random_indices<I>(random, src.rows, static_cast<std::uint64_t>(capacity) + 2);
        for (const auto oob : {pto::ScatterOOB::Skip, pto::ScatterOOB::Clamp, pto::ScatterOOB::Wrap})
          check_scatter_rows<T, I>(random, table, src, idx, {op, oob, pto::ScatterConflict{width % 2 == 1}});
      });
}

/// For types of up to 16 bits, every bit pattern is combined with every kind of value; for wider types, random bit
/// patterns are.
template <class T>
void check_every_code() {
  constexpr std::size_t codes = sizeof(T) == 1 ? 256 : 65536;
  Random random(22);
  std::vector<T> src(codes), before(codes);
  std::vector<std::int32_t> idx(codes);
  std::iota(idx.begin(), idx.end(), 0);
  for (int round = 0; round < (emulated ? 3 : 12); ++round)
    for (const auto op : updates) {
      for (std::size_t i = 0; i < codes; ++i) {
        before[i] = from_code<T>(sizeof(T) <= 2 ? i : random.next());
        src[i] = any_value<T>(random);
      }
      auto expected = before, actual = before;
      plain_scatter<T, std::int32_t>(expected, idx, src, op, {});
      ptox::scatter(actual, idx, src, {.op = op});
      if (op == pto::ScatterAtomicOp::Add) take_nans(actual.data(), expected.data(), codes);
      ASSERT_EQ(std::memcmp(actual.data(), expected.data(), codes * sizeof(T)), 0) << pto::instr::name(op);
      actual = before;
      ptox::scatter_rows(Rows{actual.data(), 64, codes / 64}, std::span(idx).first(64),
                         Rows{src.data(), 64, codes / 64}, {.op = op});
      if (op == pto::ScatterAtomicOp::Add) take_nans(actual.data(), expected.data(), codes);
      ASSERT_EQ(std::memcmp(actual.data(), expected.data(), codes * sizeof(T)), 0) << pto::instr::name(op) << " rows";
    }
}

/// By elements: many counts, with few and with many slots.
template <class T>
void check_elements() {
  Random random(23);
  for (std::int64_t n = 0; n <= 300 && !testing::Test::HasFatalFailure(); n += n < 70 ? 1 : 13)
    for (const auto op : updates)
      with_index_type(random.next(), [&]<class I>() {
        const std::uint64_t capacity = 1 + random.below(random.below(2) ? 4 : 200);
        std::vector<T> before(capacity), src(static_cast<std::size_t>(n));
        for (T& x : before) x = any_value<T>(random);
        for (T& x : src) x = any_value<T>(random);
        const auto idx = random_indices<I>(random, n, capacity + 2);
        auto expected = before;
        plain_scatter<T, I>(expected, idx, src, op, pto::ScatterOOB::Wrap);
        for (const int threads : thread_counts) {
          auto actual = before;
          ptox::scatter(actual, idx, src, {.op = op, .oob = pto::ScatterOOB::Wrap, .threads = threads});
          if (op == pto::ScatterAtomicOp::Add) take_nans(actual.data(), expected.data(), capacity);
          ASSERT_EQ(std::memcmp(actual.data(), expected.data(), capacity * sizeof(T)), 0)
              << n << " into " << capacity << ", " << pto::instr::name(op) << ", " << threads << " threads";
        }
      });
}

template <class T>
void check_type() {
  check_rows<T>();
  check_every_code<T>();
  check_elements<T>();
}

TEST_P(ops_updates, of_i8) { check_type<std::int8_t>(); }
TEST_P(ops_updates, of_u8) { check_type<std::uint8_t>(); }
TEST_P(ops_updates, of_i16) { check_type<std::int16_t>(); }
TEST_P(ops_updates, of_u16) { check_type<std::uint16_t>(); }
TEST_P(ops_updates, of_i32) { check_type<std::int32_t>(); }
TEST_P(ops_updates, of_u32) { check_type<std::uint32_t>(); }
TEST_P(ops_updates, of_i64) { check_type<std::int64_t>(); }
TEST_P(ops_updates, of_u64) { check_type<std::uint64_t>(); }
TEST_P(ops_updates, of_f16) { check_type<pto::half>(); }
TEST_P(ops_updates, of_bf16) { check_type<pto::bfloat16_t>(); }
TEST_P(ops_updates, of_f32) { check_type<float>(); }
TEST_P(ops_updates, of_f64) { check_type<double>(); }

TEST_P(ops_updates, half_sums_are_rounded_at_every_step) {
  std::vector<pto::half> table{pto::half(2048.0f)};
  const std::vector<pto::half> ones(8, pto::half(1.0f));
  ptox::scatter(table, std::vector<std::int32_t>(8, 0), ones, {.op = pto::ScatterAtomicOp::Add});
  EXPECT_EQ(static_cast<float>(table[0]), 2048.0f);  // 2048 + 1 is a tie and is rounded to even each time
}

TEST_P(ops_updates, integer_sums_wrap) {
  std::vector<std::int8_t> table{127, -128};
  ptox::scatter(table, std::vector<std::uint32_t>{0, 1}, std::vector<std::int8_t>{1, -1},
                {.op = pto::ScatterAtomicOp::Add});
  EXPECT_EQ(table, (std::vector<std::int8_t>{-128, 127}));
}

TEST_P(ops_updates, max_and_min_keep_the_old_value_beside_a_nan_or_an_equal) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto op : {pto::ScatterAtomicOp::Max, pto::ScatterAtomicOp::Min}) {
    std::vector<float> table{1.0f, nan, -0.0f, 0.0f};
    ptox::scatter(table, std::vector<std::int32_t>{0, 1, 2, 3}, std::vector<float>{nan, 1.0f, 0.0f, -0.0f}, {.op = op});
    EXPECT_EQ(table[0], 1.0f);
    EXPECT_TRUE(std::isnan(table[1]));
    EXPECT_TRUE(std::signbit(table[2]));
    EXPECT_FALSE(std::signbit(table[3]));
  }
}

/// (1e8 + 1) - 1e8 is 0 in float, and 1 in any other order.
TEST_P(ops_updates, float_sums_are_taken_in_source_order) {
  for (const int threads : thread_counts) {
    std::vector<float> table(32, 1e8f);
    std::vector<float> src(64, 1.0f);
    std::fill(src.begin() + 32, src.end(), -1e8f);
    ptox::scatter_rows(Rows{table.data(), 1, 32}, std::vector<std::int32_t>{0, 0}, Rows{src.data(), 2, 32},
                       {.op = pto::ScatterAtomicOp::Add, .threads = threads});
    EXPECT_EQ(table, std::vector<float>(32, 0.0f));
  }
}

}  // namespace
}  // namespace ptox::ops_test
