// SPDX-License-Identifier: Apache-2.0
// Calls in which almost all elements go to one or two slots give the bytes of a plain loop.
#include "host/ops_case.hpp"

namespace ptox::ops_test {
namespace {

class ops_few_places : public AtLevel {};
INSTANTIATE_TEST_SUITE_P(level, ops_few_places, testing::ValuesIn(all_levels()), level_name);

/// Indices of one or two slots; on average one in `others` is a different slot (0: none).
template <class I>
std::vector<I> indices(Random& random, std::size_t n, std::uint64_t capacity, std::uint64_t others) {
  const std::uint64_t one = random.below(capacity), two = random.below(2) == 0 ? one : random.below(capacity);
  std::vector<I> idx(n);
  for (I& i : idx)
    i = static_cast<I>(others != 0 && random.below(others) == 0 ? random.below(capacity)
                       : random.below(2) == 0                   ? one
                                                                : two);
  return idx;
}

template <class T, class I>
void check(std::uint64_t seed) {
  Random random(seed);
  for (const std::size_t n : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 255u, 256u, 300u, 5000u})
    for (const std::uint64_t others : {0u, 3u, 100u, 1000u})
      for (const std::size_t capacity : {1u, 2u, 100u, 50257u}) {
        std::vector<T> before(capacity), src(n);
        for (T& x : before) x = static_cast<T>(random.next());
        for (T& x : src) x = static_cast<T>(random.next());
        const auto idx = indices<I>(random, n, capacity, others);
        for (const auto op : {pto::ScatterAtomicOp::None, pto::ScatterAtomicOp::Max, pto::ScatterAtomicOp::Add}) {
          auto expected = before, actual = before;
          plain_scatter<T, I>(expected, idx, src, op, pto::ScatterOOB::Undefined);
          ptox::scatter(actual, idx, src, {.op = op});
          ASSERT_EQ(actual, expected) << n << " elements of " << capacity << ", one in " << others << " elsewhere";
        }
      }
}

TEST_P(ops_few_places, bytes) { check<std::uint8_t, std::int32_t>(71); }
TEST_P(ops_few_places, halves) { check<std::int16_t, std::int64_t>(72); }
TEST_P(ops_few_places, words) { check<std::uint32_t, std::uint32_t>(73); }
TEST_P(ops_few_places, long_words) { check<std::int64_t, std::int64_t>(74); }

}  // namespace
}  // namespace ptox::ops_test
