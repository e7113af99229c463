// SPDX-License-Identifier: Apache-2.0
// Elements of every size and number are moved correctly, and no other byte changes.
#include "host/ops_case.hpp"

namespace ptox::ops_test {
namespace {

class ops_elements : public AtLevel {};
INSTANTIATE_TEST_SUITE_P(level, ops_elements, testing::ValuesIn(all_levels()), level_name);

template <class T>
std::span<T> all(Rows<T> r) {
  return {r.data, static_cast<std::size_t>(r.rows)};
}

template <class T, class I>
void check_gather(Random& random, const Shape& table, const Shape& out, std::span<const I> idx, pto::GatherOOB oob) {
  Tensor<T> from(table, random), before(out, random), expected = before;
  plain_gather(all(from.read()), idx, all(expected.rows()), oob);
  for (const int threads : thread_counts) {
    Tensor<T> actual = before;
    ptox::gather(all(from.read()), idx, all(actual.rows()), {.oob = oob, .threads = threads});
    ASSERT_TRUE(actual == expected) << "table " << table << ", out " << out << ", elements of " << sizeof(T) << ", "
                                    << threads << " threads, " << pto::instr::name(oob);
  }
}

template <class T, class I>
void check_scatter(Random& random, const Shape& table, const Shape& src, std::span<const I> idx, pto::ScatterOOB oob) {
  Tensor<T> before(table, random), from(src, random), expected = before;
  plain_scatter(all(expected.rows()), idx, all(from.read()), pto::ScatterAtomicOp::None, oob);
  for (const int threads : thread_counts) {
    Tensor<T> actual = before;
    ptox::scatter(all(actual.rows()), idx, all(from.read()), {.oob = oob, .threads = threads});
    ASSERT_TRUE(actual == expected) << "table " << table << ", src " << src << ", elements of " << sizeof(T) << ", "
                                    << threads << " threads, " << pto::instr::name(oob);
  }
}

/// Every count and every alignment of the element type; indices at any alignment.
template <class T>
void check_counts() {
  Random random(31);
  const auto at = [&] { return static_cast<std::int64_t>(random.below(64 / alignof(T)) * alignof(T)); };
  for (std::int64_t n = 0; n <= 300; ++n)
    for_each_index_type([&]<class I>() {
      if (testing::Test::HasFatalFailure()) return;
      const auto capacity = static_cast<std::int64_t>(1 + random.below(random.below(2) ? 20 : 500));
      const std::uint64_t policy = random.below(4);
      const auto limit = static_cast<std::uint64_t>(policy == 0 ? capacity : capacity + capacity / 2 + 1);
      const std::size_t first = random.below(17);
      const auto store = random_indices<I>(random, n + 17, limit);
      const auto idx = std::span(store).subspan(first, static_cast<std::size_t>(n));
      check_gather<T, I>(random, {capacity, 1, 0, at()}, {n, 1, 0, at()}, idx, gather_policies[policy]);
      check_scatter<T, I>(random, {capacity, 1, 0, at()}, {n, 1, 0, at()}, idx, scatter_policies[policy]);
    });
}

TEST_P(ops_elements, of_one_byte) { check_counts<std::uint8_t>(); }
TEST_P(ops_elements, of_two_bytes) { check_counts<pto::bfloat16_t>(); }
TEST_P(ops_elements, of_four_bytes) { check_counts<float>(); }
TEST_P(ops_elements, of_eight_bytes) { check_counts<std::uint64_t>(); }
TEST_P(ops_elements, of_twelve_bytes) { check_counts<Triple>(); }

TEST_P(ops_elements, may_come_as_any_contiguous_range) {
  const std::array<float, 3> table{1, 2, 3};
  const std::int32_t idx[] = {2, 0};
  std::vector<float> out(2);
  ptox::gather(table, idx, out);
  EXPECT_EQ(out, (std::vector<float>{3, 1}));
  float to[3] = {};
  ptox::scatter(to, std::span(idx), out);
  EXPECT_EQ((std::vector<float>{to[0], to[1], to[2]}), (std::vector<float>{1, 0, 3}));
  ptox::gather(std::span(table), std::vector<std::uint32_t>{1, 1}, std::span(out));
  EXPECT_EQ(out, (std::vector<float>{2, 2}));
}

TEST_P(ops_elements, the_last_of_those_that_meet_stays) {
  for (const auto conflict : {pto::ScatterConflict::Last, pto::ScatterConflict::Default}) {
    std::vector<std::int32_t> table(2, -1);
    ptox::scatter(table, std::vector<std::int32_t>{1, 0, 1, 0, 1}, std::vector<std::int32_t>{1, 2, 3, 4, 5},
                  {.conflict = conflict});
    EXPECT_EQ(table, (std::vector<std::int32_t>{4, 5}));
  }
}

}  // namespace
}  // namespace ptox::ops_test
