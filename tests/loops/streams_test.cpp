// SPDX-License-Identifier: Apache-2.0
// The results do not depend on whether the machine uses non-temporal stores.
#include "loops/streams.hpp"

#include <algorithm>

#include "host/ops_case.hpp"
#include "loops/caches.hpp"

namespace ptox::ops_test {
namespace {

constexpr std::array kinds{Streams{}, Streams{.slow = true}, Streams{.filled_by_one = true}};

class streams_of_a_kind : public AtLevel {
 public:
  /// Calls each(threads) for all simulated kinds of machines; under emulation for one.
  template <class Each>
  static void on_all(Each each) {
    for (const Streams& s : std::span(kinds).first(emulated ? 1 : kinds.size())) {
      force_streams(&s);
      for (const int threads : {1, 2}) {
        SCOPED_TRACE((s.slow            ? "slow, "
                      : s.filled_by_one ? "filled by one, "
                                        : "") +
                     std::to_string(threads) + " threads");
        ASSERT_NO_FATAL_FAILURE(each(threads));
      }
    }
  }

 protected:
  void TearDown() override {
    force_streams(nullptr);
    AtLevel::TearDown();
  }
};
INSTANTIATE_TEST_SUITE_P(level, streams_of_a_kind, testing::ValuesIn(all_levels()), level_name);

/// A number of rows of `row_bytes` bytes that exceeds the caches.
std::int64_t too_many(std::int64_t row_bytes) { return caches().last * 3 / 2 / row_bytes + 1001; }

void check_elements(std::uint64_t capacity, bool sorted) {
  Random random(61);
  std::vector<float> table(capacity);
  for (float& x : table) x = from_code<float>(random.next());
  auto idx = random_indices<std::int32_t>(random, too_many(4), capacity);
  if (sorted) std::ranges::sort(idx);
  std::vector<float> expected(idx.size());
  plain_gather<float, std::int32_t>(table, idx, expected, pto::GatherOOB::Undefined);
  streams_of_a_kind::on_all([&](int threads) {
    std::vector<float> actual(idx.size());
    ptox::gather(table, idx, actual, {.threads = threads});
    ASSERT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * 4), 0);
  });
}
TEST_P(streams_of_a_kind, elements_of_a_near_table) { check_elements(40'000, false); }
TEST_P(streams_of_a_kind, elements_of_a_far_table) { check_elements(3'000'000, false); }
TEST_P(streams_of_a_kind, elements_in_order) { check_elements(3'000'000, true); }

/// Rows of `width` 64-bit words: gathered and scattered by a permutation or in order (`sorted`), `at` bytes after a
/// cache line boundary.
void check_rows(std::int64_t width, bool sorted, std::int64_t at = 0) {
  Random random(62);
  const std::int64_t rows = too_many(8 * width);
  Tensor<std::uint64_t> table({rows, width, 0, at}, random), moved({rows, width}, random);
  std::vector<std::int32_t> idx(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < idx.size(); ++i) idx[i] = static_cast<std::int32_t>(i);
  for (std::size_t i = idx.size() - 1; !sorted && i > 0; --i) std::swap(idx[i], idx[random.below(i + 1)]);
  Tensor<std::uint64_t> gathered = moved, scattered = table;
  const std::span<const std::int32_t> read = idx;
  plain_gather_rows(table.read(), read, gathered.rows(), pto::GatherOOB::Undefined);
  plain_scatter_rows(scattered.rows(), read, moved.read(), pto::ScatterAtomicOp::None, pto::ScatterOOB::Undefined);
  streams_of_a_kind::on_all([&](int threads) {
    Tensor<std::uint64_t> actual = moved;
    ptox::gather_rows(table.read(), idx, actual.rows(), {.threads = threads});
    ASSERT_TRUE(actual == gathered);
    actual = table;
    ptox::scatter_rows(actual.rows(), idx, moved.read(), {.threads = threads});
    ASSERT_TRUE(actual == scattered);
  });
}
TEST_P(streams_of_a_kind, short_rows) { check_rows(2, false); }
TEST_P(streams_of_a_kind, short_rows_in_order) { check_rows(2, true); }
TEST_P(streams_of_a_kind, lines) { check_rows(8, false); }
TEST_P(streams_of_a_kind, long_rows) { check_rows(64, false); }
TEST_P(streams_of_a_kind, long_rows_that_share_lines) { check_rows(67, false, 24); }
TEST_P(streams_of_a_kind, long_rows_in_order) { check_rows(64, true); }

}  // namespace
}  // namespace ptox::ops_test
