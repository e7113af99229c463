// SPDX-License-Identifier: Apache-2.0
// Calls with so many elements and such a large table that the elements are sorted give the bytes of a plain loop.
#include "host/bucket.hpp"
#include "host/ops_case.hpp"
#include "loops/caches.hpp"

namespace ptox::ops_test {
namespace {

class ops_sorted : public AtLevel {
  void SetUp() override {
    AtLevel::SetUp();
    if (emulated) GTEST_SKIP() << "too much for an emulator";
  }
};
INSTANTIATE_TEST_SUITE_P(level, ops_sorted, testing::ValuesIn(all_levels()), level_name);

/// A table that is just large enough and not a multiple of a region, and random indices all over it.
template <class T, class I>
struct Case {
  std::size_t capacity = static_cast<std::size_t>(2 * caches().last) / sizeof(T) + 12345;
  std::size_t count = 2 * std::max<std::size_t>(fewest_sorted, capacity * sizeof(T) / 64 * 2) + 54321;
  std::vector<T> table = std::vector<T>(capacity), moved = std::vector<T>(count);
  std::vector<I> idx = std::vector<I>(count);

  /// On average one in `none_in` indices exceeds the capacity; 0: none.
  explicit Case(std::uint64_t seed, unsigned none_in) {
    Random random(seed);
    for (T& x : table) x = number(random);
    for (T& x : moved) x = number(random);
    for (I& i : idx)
      i = static_cast<I>(none_in != 0 && random.below(none_in) == 0 ? none(random) : random.below(capacity));
    idx[7] = static_cast<I>(0), idx[count - 1] = static_cast<I>(capacity - 1);
  }
  /// An index that exceeds the capacity; for 64-bit indices, sometimes one whose lower half does not.
  static std::uint64_t none(Random& random) {
    return sizeof(I) == 8 && random.below(2) == 0 ? (std::uint64_t{1} << 32) + random.below(1000) : ~std::uint64_t{0};
  }
  /// Whether such a call is sorted on this machine.
  bool sorted(bool gathers) const {
    Move m{};
    m.table = reinterpret_cast<std::byte*>(const_cast<T*>(table.data())), m.capacity = capacity;
    m.stride = m.data_stride = m.row_bytes = sizeof(T);
    const detail::IndexView view{idx.data(), static_cast<std::int64_t>(count), sizeof(I) == 8, false};
    const Sample sample(Slots(view, static_cast<std::int64_t>(capacity), pto::instr::OutOfRange::drop, false),
                        sizeof(T));
    return regions_of(m, sample.valid(view.count), sample, gathers).count > 0;
  }
  /// A random value; sums of such values depend on the order.
  static T number(Random& random) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(random.next());
    else
      return static_cast<T>(static_cast<float>(random.next() >> 40) / 1e4f - 800.0f);
  }
};

template <class T>
void expect_same(const std::vector<T>& actual, const std::vector<T>& expected, int threads) {
  ASSERT_EQ(std::memcmp(actual.data(), expected.data(), expected.size() * sizeof(T)), 0) << threads << " threads";
}

template <class T, class I>
void check_gather(unsigned none_in) {
  const Case<T, I> c(61, none_in);
  const auto oob = none_in == 0 ? pto::GatherOOB::Undefined : pto::GatherOOB::Zero;
  EXPECT_TRUE(c.sorted(true));
  std::vector<T> expected(c.count), actual(c.count);
  plain_gather<T, I>(c.table, c.idx, expected, oob);
  for (const int threads : {1, 2, 3}) {
    std::fill(actual.begin(), actual.end(), T{});
    ptox::gather(c.table, c.idx, actual, {.oob = oob, .threads = threads});
    expect_same(actual, expected, threads);
  }
}

template <class T, class I>
void check_scatter(unsigned none_in, pto::ScatterAtomicOp op) {
  const Case<T, I> c(62, none_in);
  const auto oob = none_in == 0 ? pto::ScatterOOB::Undefined : pto::ScatterOOB::Skip;
  EXPECT_TRUE(c.sorted(false));
  auto expected = c.table;
  plain_scatter<T, I>(expected, c.idx, c.moved, op, oob);
  for (const int threads : {1, 2}) {
    auto actual = c.table;
    ptox::scatter(actual, c.idx, c.moved, {.op = op, .oob = oob, .threads = threads});
    expect_same(actual, expected, threads);
  }
}

using Op = pto::ScatterAtomicOp;
TEST_P(ops_sorted, gathers_words) { check_gather<float, std::int32_t>(0); }
TEST_P(ops_sorted, gathers_words_and_zeros) { check_gather<float, std::int32_t>(8); }
TEST_P(ops_sorted, gathers_halves_by_long_indices) { check_gather<std::uint16_t, std::int64_t>(0); }
TEST_P(ops_sorted, gathers_bytes_and_zeros) { check_gather<std::uint8_t, std::uint32_t>(6); }
TEST_P(ops_sorted, adds_floats) { check_scatter<float, std::int32_t>(0, Op::Add); }
TEST_P(ops_sorted, adds_floats_by_long_indices_some_to_nowhere) { check_scatter<float, std::int64_t>(3, Op::Add); }
TEST_P(ops_sorted, adds_halves) { check_scatter<pto::half, std::int32_t>(2, Op::Add); }
TEST_P(ops_sorted, adds_bfloats) { check_scatter<pto::bfloat16_t, std::int32_t>(0, Op::Add); }
TEST_P(ops_sorted, takes_the_larger_word) { check_scatter<std::int32_t, std::uint32_t>(0, Op::Max); }
TEST_P(ops_sorted, takes_the_smaller_byte) { check_scatter<std::int8_t, std::uint32_t>(0, Op::Min); }
TEST_P(ops_sorted, scatters_the_last_word) { check_scatter<std::uint32_t, std::int32_t>(0, Op::None); }
TEST_P(ops_sorted, scatters_the_last_byte) { check_scatter<std::uint8_t, std::int32_t>(5, Op::None); }

/// Rows of several elements whose total size is that of one element type.
template <class T>
void check_rows(std::int64_t width, Op op) {
  Case<T, std::int32_t> c(64, 0);
  const auto rows = static_cast<std::int64_t>(c.capacity) / width, count = static_cast<std::int64_t>(c.count);
  std::vector<std::int32_t> idx(c.idx.begin(), c.idx.end());
  for (std::int32_t& i : idx) i = static_cast<std::int32_t>(i % rows);
  c.moved.resize(static_cast<std::size_t>(count * width), T{});
  EXPECT_TRUE(c.sorted(false)) << "as elements they would be";
  auto expected = c.table, actual = c.table;
  plain_scatter_rows(Rows<T>{expected.data(), rows, width}, std::span<const std::int32_t>(idx),
                     Rows<const T>{c.moved.data(), count, width}, op, pto::ScatterOOB::Undefined);
  ptox::scatter_rows(Rows<T>{actual.data(), rows, width}, idx, Rows<const T>{c.moved.data(), count, width},
                     {.op = op, .threads = 2});
  expect_same(actual, expected, 2);
}
TEST_P(ops_sorted, rows_of_two_bytes) { check_rows<std::uint8_t>(2, Op::Add), check_rows<std::uint8_t>(2, Op::None); }
TEST_P(ops_sorted, rows_of_four_bytes) { check_rows<std::uint8_t>(4, Op::Max); }
TEST_P(ops_sorted, rows_of_two_halves) { check_rows<pto::half>(2, Op::Add); }

TEST_P(ops_sorted, an_index_out_of_range_is_named_and_nothing_is_written) {
  Case<std::uint32_t, std::int32_t> c(63, 0);
  const auto table = c.table, moved = c.moved;
  c.idx[c.count / 2] = static_cast<std::int32_t>(c.capacity), c.idx[c.count - 3] = -1;
  const std::string where = "idx[" + std::to_string(c.count / 2) + "] = " + std::to_string(c.capacity);
  const auto expect_refused = [&](auto&& call) {
    try {
      call();
      FAIL() << "no exception";
    } catch (const std::out_of_range& e) {
      EXPECT_NE(std::string(e.what()).find(where), std::string::npos) << e.what();
    }
    EXPECT_EQ(c.table, table);
    EXPECT_EQ(c.moved, moved);
  };
  for (const int threads : {1, 2}) {
    expect_refused([&] { ptox::gather(c.table, c.idx, c.moved, {.threads = threads}); });
    expect_refused([&] { ptox::scatter(c.table, c.idx, c.moved, {.op = Op::Add, .threads = threads}); });
  }
}

}  // namespace
}  // namespace ptox::ops_test
