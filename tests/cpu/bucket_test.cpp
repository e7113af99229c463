// SPDX-License-Identifier: Apache-2.0
// Do elements that are taken region by region arrive as if they were taken one by one?
#include "cpu/bucket.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cpu/host.hpp"

namespace ptox {
namespace {

/// A small table in `regions` regions, and slots all over it.
template <class T>
struct Case {
  static constexpr int shift = 5;
  std::vector<T> table, data;
  std::vector<std::uint32_t> slots;
  Regions regions;

  Case(int regions_, std::int64_t capacity, std::size_t count, unsigned seed) : regions{shift, regions_} {
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < capacity; ++i) table.push_back(static_cast<T>(random()));
    for (std::size_t i = 0; i < count; ++i) {
      slots.push_back(static_cast<std::uint32_t>(random() % static_cast<unsigned>(capacity)));
      data.push_back(static_cast<T>(random()));
    }
  }
  Move move() {
    Move m{};
    m.table = reinterpret_cast<std::byte*>(table.data()), m.data = reinterpret_cast<std::byte*>(data.data());
    m.stride = m.data_stride = m.row_bytes = sizeof(T);
    m.capacity = Move::unchecked, m.slots = slots.data(), m.count = static_cast<std::int64_t>(slots.size());
    return m;
  }
};

template <class T>
struct bucket : testing::Test {
  void each_case(void (*check)(Case<T>&)) {
    unsigned seed = 0;
    for (const std::size_t count : {1u, 2u, 63u, 64u, 1000u, 5000u}) {
      Case<T> some(7, 7 * 32 - 5, count, ++seed), one(1, 3, count, ++seed), all(64, 64 * 32, count, ++seed);
      check(some), check(one), check(all);
    }
  }
};
using Elements = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t>;
TYPED_TEST_SUITE(bucket, Elements);

TYPED_TEST(bucket, gathers_as_one_by_one) {
  this->each_case([](Case<TypeParam>& c) {
    auto expected = c.data;
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = c.table[c.slots[i]];
    for (const bool far : {false, true}) {
      Move m = c.move();
      m.far = far, m.stream = far;
      c.data.assign(c.data.size(), TypeParam{0xa5});
      ASSERT_TRUE(gather_by_region(m, c.regions));
      kernels().fence();
      ASSERT_EQ(c.data, expected);
    }
  });
}

TYPED_TEST(bucket, shares_of_the_regions_add_up_to_one_by_one) {
  this->each_case([](Case<TypeParam>& c) {
    auto expected = c.table;
    for (std::size_t i = 0; i < c.slots.size(); ++i)
      expected[c.slots[i]] = static_cast<TypeParam>(expected[c.slots[i]] * 3u + c.data[i]);  // order counts
    const auto loop = [](const Move& m) {
      auto* table = reinterpret_cast<TypeParam*>(m.table);
      for (std::int64_t i = 0; i < m.count; ++i) {
        TypeParam& to = table[static_cast<const std::uint32_t*>(m.slots)[i]];
        to = static_cast<TypeParam>(to * 3u + reinterpret_cast<const TypeParam*>(m.data)[i]);
      }
    };
    const int middle = c.regions.count / 3;
    ASSERT_TRUE(scatter_by_region(c.move(), c.regions, middle, c.regions.count, loop));
    ASSERT_TRUE(scatter_by_region(c.move(), c.regions, 0, middle, loop) || middle == 0);
    ASSERT_EQ(c.table, expected);
  });
}

TEST(bucket_choice, few_near_hot_or_wide_elements_are_taken_as_they_come) {
  const std::int64_t far = caches().last, many = 4 * far;  // elements of a table four times the last cache
  std::vector<std::uint32_t> slots(1 << 16);
  for (std::size_t i = 0; i < slots.size(); ++i)
    slots[i] = static_cast<std::uint32_t>(i * 2654435761u % static_cast<std::size_t>(far));
  const detail::IndexView idx{slots.data(), static_cast<std::int64_t>(slots.size()), false, false};
  const Sample spread(Slots(idx, far, pto::instr::OutOfRange::undefined, true), 4);
  Move m{};
  m.capacity = static_cast<std::uint64_t>(far), m.stride = m.data_stride = m.row_bytes = 4;
  EXPECT_EQ(regions_of(m, 1000, spread, true).count, 0) << "few";
  EXPECT_GT(regions_of(m, many, spread, true).count, 0) << "the control";
  m.row_bytes = m.stride = m.data_stride = 8;
  EXPECT_EQ(regions_of(m, many, spread, true).count, 0) << "wide";
  m.row_bytes = m.stride = m.data_stride = 4, m.capacity = 1 << 10;
  EXPECT_EQ(regions_of(m, many, spread, true).count, 0) << "near";
  m.capacity = static_cast<std::uint64_t>(far);
  slots.assign(slots.size(), 5);
  const Sample hot(Slots(idx, far, pto::instr::OutOfRange::undefined, true), 4);
  EXPECT_EQ(regions_of(m, many, hot, true).count, 0) << "hot";
  EXPECT_FALSE(hot.various());
}

}  // namespace
}  // namespace ptox
