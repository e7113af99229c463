// SPDX-License-Identifier: Apache-2.0
// Processing elements sorted by region gives the same result as processing them one by one.
#include "host/bucket.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "loops/caches.hpp"

namespace ptox {
namespace {

/// Elements that are sorted at once; larger cases are sorted in several rounds.
constexpr std::int64_t at_once = 15000;

/// A small table of several regions, and slots in all of it. With `past`, some slots exceed the capacity.
template <class T>
struct Case {
  static constexpr int shift = 5;
  std::vector<T> table, data;
  std::vector<std::uint32_t> slots;
  Regions regions;

  Case(int regions_, std::int64_t capacity, std::size_t count, unsigned seed, bool past = false)
      : regions{shift, regions_, true} {
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < capacity; ++i) table.push_back(static_cast<T>(random()));
    for (std::size_t i = 0; i < count; ++i) {
      const bool none = past && random() % 3 == 0;
      slots.push_back(none ? static_cast<std::uint32_t>(capacity + random() % 3 * 100)
                           : static_cast<std::uint32_t>(random() % static_cast<unsigned>(capacity)));
      data.push_back(static_cast<T>(random()));
    }
  }
  bool valid(std::size_t i) const { return slots[i] < table.size(); }
  Move move() {
    Move m{};
    m.table = reinterpret_cast<std::byte*>(table.data()), m.data = reinterpret_cast<std::byte*>(data.data());
    m.stride = m.data_stride = m.row_bytes = sizeof(T);
    m.capacity = table.size(), m.slots = slots.data(), m.count = static_cast<std::int64_t>(slots.size());
    return m;
  }
};

template <class T>
struct bucket : testing::Test {
  void TearDown() override { force_second_cache(0); }
  void each_case(void (*check)(Case<T>&)) {
    unsigned seed = 0;
    for (const std::size_t count : {1u, 2u, 63u, 64u, 1000u, 4999u, 40000u, 40001u}) {
      force_second_cache(count % 2 == 0 ? 1 << 20 : 2 << 20);  // small: regions are read first; large: prefetched
      Case<T> some(7, 7 * 32 - 5, count, ++seed), one(1, 3, count, ++seed), all(64, 64 * 32, count, ++seed);
      Case<T> short_of_lines(7, 6 * 32 + 1, count, ++seed);  // its last region has only one element
      check(some), check(one), check(all), check(short_of_lines);
      Case<T> holes(7, 7 * 32 - 5, count, ++seed, true);
      check(holes);
    }
  }
};
using Elements = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t>;
TYPED_TEST_SUITE(bucket, Elements);

TYPED_TEST(bucket, gathers_as_one_by_one) {
  this->each_case([](Case<TypeParam>& c) {
    auto expected = c.data;
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = c.valid(i) ? c.table[c.slots[i]] : TypeParam{};
    for (const bool dense : {false, true})
      for (const int parts : {1, 2, 3}) {
        Move m = c.move();
        m.stream = dense, c.regions.dense = dense;
        c.data.assign(c.data.size(), TypeParam{0xa5});
        for (const bool mixed : {false, true}) {
          c.data.assign(c.data.size(), TypeParam{0xa5});
          ASSERT_TRUE(gather_by_region({m, false, c.regions, at_once, parts, false, mixed}));
          ASSERT_EQ(c.data, expected) << parts << " parts";
        }
        c.data.assign(c.data.size(), TypeParam{0xa5});
        const std::vector<std::uint64_t> wide(c.slots.begin(), c.slots.end());
        m.slots = wide.data();
        ASSERT_TRUE(gather_by_region({m, true, c.regions, at_once, parts, false, parts == 2}));
        ASSERT_EQ(c.data, expected) << parts << " parts, wide";
      }
  });
}

TYPED_TEST(bucket, scatters_as_one_by_one) {
  this->each_case([](Case<TypeParam>& c) {
    const auto before = c.table;
    auto expected = c.table;
    for (std::size_t i = 0; i < c.slots.size(); ++i)
      if (c.valid(i))
        expected[c.slots[i]] = static_cast<TypeParam>(expected[c.slots[i]] * 3u + c.data[i]);  // depends on the order
    const auto loop = [](const Move& m) {
      auto* table = reinterpret_cast<TypeParam*>(m.table);
      ASSERT_TRUE(m.paired);
      for (const auto* at = static_cast<const std::uint32_t*>(m.slots);
           at < static_cast<const std::uint32_t*>(m.slots) + 2 * m.count; at += 2) {
        TypeParam& to = table[at[0]];
        to = static_cast<TypeParam>(to * 3u + at[1]);
      }
    };
    for (const int parts : {1, 2, 3}) {
      Move m = c.move();
      ASSERT_TRUE(scatter_by_region({m, false, c.regions, at_once, parts, false, parts == 2}, loop));
      ASSERT_EQ(c.table, expected) << parts << " parts";
      c.table = before;
      const std::vector<std::uint64_t> wide(c.slots.begin(), c.slots.end());
      m.slots = wide.data();
      ASSERT_TRUE(scatter_by_region({m, true, c.regions, at_once, parts, false, parts == 3}, loop));
      ASSERT_EQ(c.table, expected) << parts << " parts, wide";
      c.table = before;
    }
  });
}

TYPED_TEST(bucket, sums_meanwhile_as_one_by_one) {
  this->each_case([](Case<TypeParam>& c) {
    const auto before = c.table;
    auto expected = c.table;
    for (std::size_t i = 0; i < c.slots.size(); ++i)
      if (c.valid(i)) expected[c.slots[i]] = static_cast<TypeParam>(expected[c.slots[i]] + c.data[i]);
    using pto::instr::DType;
    const DType dtype = sizeof(TypeParam) == 1 ? DType::u8 : sizeof(TypeParam) == 2 ? DType::u16 : DType::u32;
    for (const bool dense : {false, true}) {
      c.regions.dense = dense;
      const Move m = c.move();
      ASSERT_TRUE(scatter_by_region({m, false, c.regions, at_once, 2, false},
                                    kernels().updating(false, pto::ScatterAtomicOp::Add, dtype)));
      ASSERT_EQ(c.table, expected) << dense;
      c.table = before;
    }
  });
}

TYPED_TEST(bucket, a_slot_past_the_capacity_stops_a_strict_call) {
  for (const std::size_t bad : {std::size_t{0}, std::size_t{7777}, std::size_t{9999}})
    for (const int parts : {1, 3}) {
      Case<TypeParam> c(7, 7 * 32 - 5, 10000, 5);
      const auto table = c.table, data = c.data;
      const Move m = c.move();
      c.slots[bad] = static_cast<std::uint32_t>(c.table.size());  // in the last region or past it
      const auto loop = kernels().updating(false, pto::ScatterAtomicOp::None, pto::instr::DType::u8);
      EXPECT_FALSE(gather_by_region({m, false, c.regions, at_once, parts, true}));
      EXPECT_FALSE(scatter_by_region({m, false, c.regions, at_once, parts, true}, loop));
      c.slots[bad] = ~0u;
      EXPECT_FALSE(gather_by_region({m, false, c.regions, at_once, parts, true}));
      EXPECT_FALSE(scatter_by_region({m, false, c.regions, at_once, parts, true}, loop));
      EXPECT_EQ(c.table, table);
      EXPECT_EQ(c.data, data);
      c.slots[bad] = 0;
      EXPECT_TRUE(gather_by_region({m, false, c.regions, at_once, parts, true})) << "the control";
    }
}

TEST(bucket_choice, few_near_hot_or_wide_elements_are_taken_as_they_come) {
  const std::int64_t far = caches().last, many = 4 * far;  // the table is four times as large as the last-level cache
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

/// The slots f(i), as many as the table has elements of 4 bytes; the table is four times as large as the last-level
/// cache.
template <class F>
std::vector<std::uint32_t> slots_by(F f) {
  std::vector<std::uint32_t> slots(static_cast<std::size_t>(caches().last));
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<std::uint32_t>(f(i) % slots.size());
  return slots;
}
struct Seen {
  bool all_over, goes_on;
  explicit Seen(const std::vector<std::uint32_t>& slots) {
    const auto count = static_cast<std::int64_t>(slots.size());
    const Slots all({slots.data(), count, false, false}, count, pto::instr::OutOfRange::undefined, true);
    all_over = Sample(all, 4).all_over(caches().last * 3 / 2), goes_on = Sample::goes_on(all, 4);
  }
};
TEST(bucket_choice, what_stays_in_the_second_cache_for_a_while_is_not_sorted) {
  std::mt19937_64 random(3);
  const Seen anywhere(slots_by([&](std::size_t) { return random(); }));
  EXPECT_TRUE(anywhere.all_over && !anywhere.goes_on) << "the control";
  const auto window = static_cast<std::size_t>(caches().second / 2 / 4);
  EXPECT_FALSE(Seen(slots_by([&](std::size_t i) { return i + random() % window; })).all_over) << "a window that moves";
  const auto part = static_cast<std::size_t>(caches().last / 64);
  EXPECT_TRUE(Seen(slots_by([&](std::size_t i) { return i % 64 * part + i / 64; })).goes_on) << "64 in turn";
}
TEST(bucket_choice, indices_that_come_back_after_a_power_of_two_are_seen_all_over) {
  const auto rows = static_cast<std::size_t>(caches().last) / 4096;
  EXPECT_TRUE(Seen(slots_by([&](std::size_t i) { return i % rows * 4096 + i / rows; })).all_over);
}

}  // namespace
}  // namespace ptox
