// SPDX-License-Identifier: Apache-2.0
// The row that an index selects, for every type, policy and number of rows.
#include <limits>

#include "host/ops_case.hpp"

namespace ptox::ops_test {
namespace {

class ops_indices : public AtLevel {};
INSTANTIATE_TEST_SUITE_P(level, ops_indices, testing::ValuesIn(all_levels()), level_name);

constexpr std::array<std::int64_t, 5> capacities{0, 1, 7, 100, 50257};

template <class I>
std::vector<I> boundaries(std::int64_t capacity) {
  const std::int64_t narrow[] = {0, capacity / 2, capacity - 1, capacity, capacity + 1, -1, -2, INT32_MIN, INT32_MAX};
  const std::int64_t wide[] = {std::int64_t{1} << 32,
                               (std::int64_t{1} << 32) + 1,
                               std::int64_t{UINT32_MAX},
                               std::int64_t{5} << 33,
                               INT64_MIN,
                               INT64_MAX};
  std::vector<I> all;
  for (const std::int64_t i : narrow) all.push_back(static_cast<I>(i));
  if (sizeof(I) == 8)
    for (const std::int64_t i : wide) all.push_back(static_cast<I>(i));
  return all;
}

/// `n` indices, starting with number `first` and repeating cyclically, so that each index is tested at each position.
template <class I>
std::vector<I> rotated(const std::vector<I>& all, std::size_t first, std::size_t n) {
  std::vector<I> idx;
  for (std::size_t i = 0; i < n; ++i) idx.push_back(all[(first + i) % all.size()]);
  return idx;
}

template <class I, class OOB>
bool any_refused(const std::vector<I>& idx, std::int64_t capacity, OOB oob) {
  for (const I i : idx)
    if (refused(as_read(i), static_cast<std::uint64_t>(capacity), oob)) return true;
  return false;
}

template <class T, class I>
void check_gather(Random& random, const Shape& table, const Shape& out, const std::vector<I>& idx, pto::GatherOOB oob) {
  if (!any_refused(idx, table.rows, oob)) return check_gather_rows<T, I>(random, table, out, idx, oob);
  Tensor<T> from(table, random), to(out, random);
  const Tensor<T> before = to;
  for (const int threads : thread_counts) {
    ASSERT_THROW(ptox::gather_rows(from.read(), idx, to.rows(), {.oob = oob, .threads = threads}), std::out_of_range)
        << "table " << table << ", out " << out << ", " << pto::instr::name(oob);
    ASSERT_TRUE(to == before) << "written before the throw";
  }
}

template <class T, class I>
void check_scatter(Random& random, const Shape& table, const Shape& src, const std::vector<I>& idx, const Update& u) {
  if (!any_refused(idx, table.rows, u.oob)) return check_scatter_rows<T, I>(random, table, src, idx, u);
  Tensor<T> to(table, random), from(src, random);
  const Tensor<T> before = to;
  for (const int threads : thread_counts) {
    const ScatterOptions options{.op = u.op, .oob = u.oob, .threads = threads};
    ASSERT_THROW(ptox::scatter_rows(to.rows(), idx, from.read(), options), std::out_of_range)
        << "table " << table << ", src " << src << ", " << pto::instr::name(u.oob);
    ASSERT_TRUE(to == before) << "written before the throw";
  }
}

template <class T>
void check_boundaries(std::int64_t width) {
  Random random(static_cast<std::uint64_t>(width));
  for_each_index_type([&]<class I>() {
    for (const std::int64_t capacity : capacities) {
      const auto all = boundaries<I>(capacity);
      const std::size_t n = capacity > 1000 ? 16 : 67;
      const std::size_t step = capacity > 1000 ? all.size() : emulated ? 5 : 1;
      for (std::size_t first = 0; first < all.size(); first += step)
        for (std::size_t policy = 0; policy < 4; ++policy) {
          const Shape table{capacity, width, static_cast<std::int64_t>(random.below(2))};
          const Shape other{static_cast<std::int64_t>(n), width};
          const auto idx = rotated(all, first, n);
          check_gather<T, I>(random, table, other, idx, gather_policies[policy]);
          check_scatter<T, I>(random, table, other, idx, {.oob = scatter_policies[policy]});
          if constexpr (Updated<T>)
            check_scatter<T, I>(random, table, other, idx, {updates[first % 3], scatter_policies[policy]});
          if (testing::Test::HasFatalFailure()) return;
        }
    }
  });
}

TEST_P(ops_indices, at_the_edges_of_rows_of_one_byte) { check_boundaries<std::uint8_t>(1); }
TEST_P(ops_indices, at_the_edges_of_rows_of_one_half) { check_boundaries<pto::half>(1); }
TEST_P(ops_indices, at_the_edges_of_rows_of_one_float) { check_boundaries<float>(1); }
TEST_P(ops_indices, at_the_edges_of_rows_of_one_double) { check_boundaries<double>(1); }
TEST_P(ops_indices, at_the_edges_of_rows_of_one_struct) { check_boundaries<Triple>(1); }
TEST_P(ops_indices, at_the_edges_of_short_rows) { check_boundaries<std::uint8_t>(16); }
TEST_P(ops_indices, at_the_edges_of_long_rows) { check_boundaries<float>(33); }

/// One index out of range among many in range, at every position.
template <class T>
void check_one_bad(std::int64_t width) {
  Random random(11);
  constexpr std::int64_t n = 131, capacity = 50;
  for (std::size_t bad = 0; bad < n; bad += emulated ? 3 : 1)
    with_index_type(bad, [&]<class I>() {
      auto idx = random_indices<I>(random, n, capacity);
      const auto all = boundaries<I>(capacity);
      idx[bad] = all[3 + random.below(all.size() - 3)];
      for (std::size_t policy = 0; policy < 4; ++policy) {
        check_gather<T, I>(random, {capacity, width}, {n, width}, idx, gather_policies[policy]);
        check_scatter<T, I>(random, {capacity, width}, {n, width}, idx, {.oob = scatter_policies[policy]});
        if (testing::Test::HasFatalFailure()) return;
      }
    });
}

TEST_P(ops_indices, one_out_of_range_at_any_place) {
  check_one_bad<std::uint8_t>(1);
  check_one_bad<float>(1);
  check_one_bad<float>(24);
}

/// Random indices over the whole range of their type; Wrap is a modulo by any capacity.
TEST_P(ops_indices, wrap_and_clamp_from_the_whole_range) {
  Random random(12);
  for (int round = 0; round < 200; ++round)
    with_index_type(random.next(), [&]<class I>() {
      const std::int64_t capacity = 1 + static_cast<std::int64_t>(random.below(random.below(2) ? 8 : 3000));
      std::vector<I> idx(random.below(200));
      for (I& i : idx) i = static_cast<I>(random.next() >> random.below(64));
      const Shape table{capacity, 1 + static_cast<std::int64_t>(random.below(9)), 1};
      const Shape other{static_cast<std::int64_t>(idx.size()), table.width, 2};
      for (std::size_t policy = 1; policy < 4; ++policy) {
        check_gather<float, I>(random, table, other, idx, gather_policies[policy]);
        check_scatter<float, I>(random, table, other, idx, {.oob = scatter_policies[policy]});
        check_scatter<float, I>(random, table, other, idx, {updates[round % 3], scatter_policies[policy]});
      }
    });
}

TEST_P(ops_indices, minus_one_is_the_largest_and_never_the_last) {
  const std::vector<std::int32_t> table{10, 11, 12};
  std::vector<std::int32_t> out(2, 7);
  ptox::gather(table, std::vector<std::int32_t>{-1, 1}, out, {.oob = pto::GatherOOB::Wrap});
  EXPECT_EQ(out, (std::vector<std::int32_t>{10, 11}));  // 4294967295 % 3 = 0
  ptox::gather(table, std::vector<std::int64_t>{-1, 1}, out, {.oob = pto::GatherOOB::Wrap});
  EXPECT_EQ(out, (std::vector<std::int32_t>{10, 11}));  // 18446744073709551615 % 3 = 0
  ptox::gather(table, std::vector<std::int32_t>{-2, 1}, out, {.oob = pto::GatherOOB::Clamp});
  EXPECT_EQ(out, (std::vector<std::int32_t>{12, 11}));
  ptox::gather(table, std::vector<std::int64_t>{(std::int64_t{1} << 32) + 1, 1}, out, {.oob = pto::GatherOOB::Zero});
  EXPECT_EQ(out, (std::vector<std::int32_t>{0, 11}));
}

TEST_P(ops_indices, other_names_of_64_bit_integers_are_indices) {
  const std::vector<std::int32_t> table{10, 11, 12};
  std::vector<std::int32_t> out(2);
  ptox::gather(table, std::vector<long long>{2, 0}, out);
  EXPECT_EQ(out, (std::vector<std::int32_t>{12, 10}));
  ptox::gather(table, std::vector<unsigned long long>{1, 2}, out);
  EXPECT_EQ(out, (std::vector<std::int32_t>{11, 12}));
  ptox::gather(table, std::vector<long>{0, 1}, out);
  EXPECT_EQ(out, (std::vector<std::int32_t>{10, 11}));
}

}  // namespace
}  // namespace ptox::ops_test
