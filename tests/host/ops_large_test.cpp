// SPDX-License-Identifier: Apache-2.0
// Large calls, for which threads share the work and indices are sorted, give the bytes of a plain loop.
#include <algorithm>

#include "host/ops_case.hpp"

namespace ptox::ops_test {
namespace {

class ops_large : public AtLevel {};
INSTANTIATE_TEST_SUITE_P(level, ops_large, testing::ValuesIn(all_levels()), level_name);

enum class Spread { uniform, sorted, reversed, hot, same };
constexpr std::array spreads{Spread::uniform, Spread::sorted, Spread::reversed, Spread::hot, Spread::same};
const char* name(Spread s) {
  constexpr const char* names[] = {"uniform", "sorted", "reversed", "hot", "same"};
  return names[static_cast<int>(s)];
}

template <class I>
std::vector<I> indices(Spread spread, std::size_t n, std::uint64_t capacity) {
  Random random(51);
  std::vector<I> idx(n);
  for (I& i : idx) {
    const bool hot = spread == Spread::hot && random.below(8) != 0;
    i = static_cast<I>(spread == Spread::same ? capacity / 3
                       : hot                  ? random.below(16) * 4099 % capacity
                                              : random.below(capacity));
  }
  if (spread == Spread::sorted) std::sort(idx.begin(), idx.end());
  if (spread == Spread::reversed) std::sort(idx.rbegin(), idx.rend());
  return idx;
}

template <class T>
std::vector<T> values(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> all(n);
  for (T& x : all) x = from_code<T>(random.next());
  return all;
}
/// Finite numbers without NaNs, whose sums depend on the order.
template <class T>
std::vector<T> numbers(std::size_t n, std::uint64_t seed) {
  if constexpr (std::is_integral_v<T>) return values<T>(n, seed);
  Random random(seed);
  std::vector<T> all(n);
  for (T& x : all) x = static_cast<T>(static_cast<float>(random.next() >> 40) / 1e4f - 800.0f);
  return all;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Thread counts to test: all at the best level, which users of the machine get, and two at lower levels.
std::vector<int> threads_at(Level l) {
  return l == levels().back() && !emulated ? std::vector{1, 2, 3, 5, 16} : std::vector{1, 3};
}

constexpr std::size_t part = emulated ? 2 : 1;

template <class T, class I>
void check_gather(Level level, std::size_t n, std::size_t capacity) {
  const auto table = values<T>(capacity, 52);
  for (const Spread spread : spreads) {
    const auto idx = indices<I>(spread, n, capacity + capacity / 50);
    std::vector<T> expected(n), actual(n);
    plain_gather<T, I>(table, idx, expected, pto::GatherOOB::Zero);
    for (const int threads : threads_at(level)) {
      std::fill(actual.begin(), actual.end(), T{});
      ptox::gather(table, idx, actual, {.oob = pto::GatherOOB::Zero, .threads = threads});
      ASSERT_TRUE(same(actual, expected)) << name(spread) << ", " << threads << " threads";
    }
  }
}

TEST_P(ops_large, gathers_of_floats) {
  check_gather<float, std::int32_t>(GetParam(), 3'000'000 / part, 20'000'000 / part);
}
TEST_P(ops_large, gathers_of_bytes) {
  check_gather<std::uint8_t, std::uint32_t>(GetParam(), 2'000'000 / part, 30'000'000 / part);
}
TEST_P(ops_large, gathers_of_words) {
  check_gather<std::uint64_t, std::int64_t>(GetParam(), 1'000'000 / part, 6'000'000 / part);
}

template <class T, class I>
void check_scatter(Level level, std::size_t n, std::size_t capacity, pto::ScatterAtomicOp op) {
  const auto before = numbers<T>(capacity, 53), src = numbers<T>(n, 54);
  auto actual = before;
  for (const Spread spread : spreads) {
    const auto idx = indices<I>(spread, n, capacity + capacity / 50);
    auto expected = before;
    plain_scatter<T, I>(expected, idx, src, op, pto::ScatterOOB::Skip);
    for (const int threads : threads_at(level)) {
      ptox::scatter(actual, idx, src, {.op = op, .oob = pto::ScatterOOB::Skip, .threads = threads});
      ASSERT_TRUE(same(actual, expected)) << name(spread) << ", " << threads << " threads";
      for (const I i : idx)
        if (as_read(i) < capacity) actual[as_read(i)] = before[as_read(i)];
    }
  }
}

using Op = pto::ScatterAtomicOp;
TEST_P(ops_large, sums_of_floats) {
  check_scatter<float, std::int32_t>(GetParam(), 2'000'000 / part, 24'000'000 / part, Op::Add);
}
TEST_P(ops_large, sums_of_halves) {
  check_scatter<pto::half, std::int64_t>(GetParam(), 1'000'000 / part, 12'000'000 / part, Op::Add);
}
TEST_P(ops_large, sums_of_bfloats) {
  check_scatter<pto::bfloat16_t, std::uint32_t>(GetParam(), 1'000'000 / part, 200'000 / part, Op::Add);
}
TEST_P(ops_large, maxima_of_floats) {
  check_scatter<float, std::uint32_t>(GetParam(), 1'000'000 / part, 3'000'000 / part, Op::Max);
}
TEST_P(ops_large, scatters_of_floats) {
  check_scatter<float, std::int32_t>(GetParam(), 2'000'000 / part, 24'000'000 / part, Op::None);
}
TEST_P(ops_large, scatters_of_bytes) {
  check_scatter<std::uint8_t, std::int64_t>(GetParam(), 1'000'000 / part, 20'000'000 / part, Op::None);
}

/// Rows of `width` elements; out is larger than a cache.
template <class T>
void check_rows(Level level, std::int64_t rows, std::int64_t count, std::int64_t width, std::int64_t gap) {
  Random random(55);
  const Shape table{rows, width, gap, 4}, other{count, width, 0, 12};
  Tensor<T> from(table, random), before(other, random);
  from.fill(random), before.fill(random);
  for (const Spread spread : {Spread::uniform, Spread::hot, Spread::same}) {
    const auto idx = indices<std::int32_t>(spread, static_cast<std::size_t>(count), static_cast<std::uint64_t>(rows));
    const std::span<const std::int32_t> read = idx;
    Tensor<T> gathered = before, scattered = from, summed = from;
    plain_gather_rows(from.read(), read, gathered.rows(), pto::GatherOOB::Undefined);
    plain_scatter_rows(scattered.rows(), read, before.read(), Op::None, pto::ScatterOOB::Undefined);
    plain_scatter_rows(summed.rows(), read, before.read(), Op::Add, pto::ScatterOOB::Undefined);
    for (const int threads : threads_at(level)) {
      Tensor<T> actual = before;
      ptox::gather_rows(from.read(), idx, actual.rows(), {.threads = threads});
      ASSERT_TRUE(actual == gathered) << name(spread) << ", " << threads << " threads";
      actual = from;
      ptox::scatter_rows(actual.rows(), idx, before.read(), {.threads = threads});
      ASSERT_TRUE(actual == scattered) << name(spread) << ", " << threads << " threads";
      actual = from;
      ptox::scatter_rows(actual.rows(), idx, before.read(), {.op = Op::Add, .threads = threads});
      actual.take_nans(summed);
      ASSERT_TRUE(actual == summed) << name(spread) << ", " << threads << " threads, Add";
    }
  }
}

constexpr std::int64_t rows_part = emulated ? 8 : 1;
TEST_P(ops_large, short_rows) { check_rows<float>(GetParam(), 100'000 / rows_part, 150'000 / rows_part, 4, 0); }
TEST_P(ops_large, middling_rows) { check_rows<pto::half>(GetParam(), 50'000 / rows_part, 60'000 / rows_part, 50, 2); }
TEST_P(ops_large, wide_rows) { check_rows<float>(GetParam(), 1'000 / rows_part, 3'000 / rows_part, 1024, 0); }
TEST_P(ops_large, few_very_wide_rows) { check_rows<std::int32_t>(GetParam(), 5, 8, 400'000 / rows_part, 3); }

/// out is much larger than any cache, and neither its start nor its rows are aligned to a cache line.
TEST_P(ops_large, rows_of_many_megabytes) {
  Random random(56);
  constexpr std::int64_t width = 16'001, count = emulated ? 500 : 3'000;
  Tensor<std::uint8_t> from({100, width, 0, 1}, random), expected({count, width, 0, 3}, random), actual = expected;
  const auto idx = indices<std::uint32_t>(Spread::uniform, count, 100);
  plain_gather_rows(from.read(), std::span<const std::uint32_t>(idx), expected.rows(), {});
  for (const int threads : {1, 4}) {
    ptox::gather_rows(from.read(), idx, actual.rows(), {.threads = threads});
    ASSERT_TRUE(actual == expected) << threads << " threads";
  }
}

/// The exception names the first invalid index, whichever thread finds one, and nothing is written.
TEST_P(ops_large, an_index_out_of_range_stops_all_threads) {
  constexpr std::size_t n = 1'000'000 / part;
  std::vector<float> table(1000, 1.0f), out(n, 2.0f);
  auto idx = indices<std::int32_t>(Spread::uniform, n, table.size());
  for (const std::size_t bad : {std::size_t{0}, n / 3, n - 1}) {
    auto wrong = idx;
    wrong[bad] = 1000;
    if (bad < n / 2) wrong[n - 1] = -1;
    for (const int threads : {1, 3, 16}) try {
        ptox::gather(table, wrong, out, {.threads = threads});
        FAIL() << "no exception";
      } catch (const std::out_of_range& e) {
        EXPECT_NE(std::string(e.what()).find("idx[" + std::to_string(bad) + "] = 1000"), std::string::npos) << e.what();
        EXPECT_EQ(out, std::vector<float>(n, 2.0f));
      }
    EXPECT_THROW(ptox::scatter(table, wrong, out, {.op = Op::Add}), std::out_of_range);
    EXPECT_EQ(table, std::vector<float>(1000, 1.0f));
  }
}

}  // namespace
}  // namespace ptox::ops_test
