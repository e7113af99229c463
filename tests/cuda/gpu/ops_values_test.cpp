// SPDX-License-Identifier: Apache-2.0
// Updates with infinities, NaNs, signed zeros and subnormal numbers on the GPU.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "ops_cases.hpp"

namespace {

using pto::ScatterAtomicOp;
using pto::ScatterConflict;
using ptox::ScatterOptions;
using namespace ptox::testing;

template <class T>
using Limits = std::numeric_limits<T>;
template <class T>
T minus(T x) {
  return static_cast<T>(-static_cast<double>(x));
}
constexpr ScatterAtomicOp updates[] = {ScatterAtomicOp::Add, ScatterAtomicOp::Max, ScatterAtomicOp::Min};

/// The smallest and largest subnormal numbers of either sign.
template <class T>
std::vector<T> subnormals() {
  const T least = Limits<T>::denorm_min(),
          most = static_cast<T>(static_cast<double>(Limits<T>::min()) - static_cast<double>(Limits<T>::denorm_min()));
  return {least, minus(least), most, minus(most)};
}
/// Special values; `subnormal`: including subnormal numbers.
template <class T>
std::vector<T> special_values(bool subnormal) {
  const T one = static_cast<T>(1), least = Limits<T>::min(), most = Limits<T>::max(), infinity = Limits<T>::infinity();
  std::vector<T> v{static_cast<T>(0.0),
                   minus(static_cast<T>(0.0)),
                   one,
                   minus(one),
                   least,
                   minus(least),
                   most,
                   minus(most),
                   infinity,
                   minus(infinity),
                   Limits<T>::quiet_NaN()};
  const std::vector<T> more = subnormals<T>();
  if (subnormal) v.insert(v.end(), more.begin(), more.end());
  return v;
}

/// Every pair of special values, one in the table and one in the source, in rows of `width`; each slot is updated once.
template <class T>
Operands<T, std::int32_t> every_pair(const std::vector<T>& special, std::int64_t width) {
  const auto n = static_cast<std::int64_t>(special.size()), rows = (n * n + width - 1) / width;
  Operands<T, std::int32_t> o{.table = {}, .moved = {}, .idx = {}, .width = width};
  for (std::int64_t i = 0; i < rows * width; ++i) {
    o.table.push_back(special[static_cast<std::size_t>(i / n % n)]);
    o.moved.push_back(special[static_cast<std::size_t>(i % n)]);
  }
  for (std::int64_t i = 0; i < rows; ++i) o.idx.push_back(static_cast<std::int32_t>(i));
  return o;
}

template <class T>
class cuda_ops_values : public ::testing::Test {};
using Inexact = ::testing::Types<half, bfloat16_t, float, double>;
TYPED_TEST_SUITE(cuda_ops_values, Inexact);

TYPED_TEST(cuda_ops_values, every_pair_of_special_values_meets_as_on_the_host) {
  for (const std::int64_t width : {1, 3, 8, 64})
    for (const auto op : updates) {
      auto o = every_pair(special_values<TypeParam>(true), width);
      expect_scatter(o, {.op = op}, Nan::any);
      o.moved_shift = o.table_shift = 1;
      expect_scatter(o, {.op = op}, Nan::any);
    }
}

/// Each slot is updated once, so that the order does not affect the result. All values of half are normal as float; for
/// subnormal numbers of the other types, sums in any order (Default) are not specified, and they are left out.
TYPED_TEST(cuda_ops_values, a_pair_of_special_values_meets_the_same_as_it_comes) {
  constexpr bool promised = std::is_same_v<TypeParam, half>;
  for (const std::int64_t width : {1, 3, 8, 64})
    for (const auto op : updates) {
      auto o = every_pair(special_values<TypeParam>(promised || op != ScatterAtomicOp::Add), width);
      expect_scatter(o, {.op = op, .conflict = ScatterConflict::Default}, Nan::any);
      o.moved_shift = o.table_shift = 1;
      expect_scatter(o, {.op = op, .conflict = ScatterConflict::Default}, Nan::any);
    }
}

/// The values for a slot: around zero, around the largest number, infinities of one or both signs, and NaN.
template <class T>
std::vector<T> palette(std::int64_t slot) {
  const T infinity = Limits<T>::infinity(), most = Limits<T>::max(), zero = static_cast<T>(0.0);
  std::vector<T> v = subnormals<T>();
  v.insert(v.end(), {zero, minus(zero)});
  if (slot % 6 == 0) return v;
  if (slot % 6 == 1) return {minus(zero)};
  if (slot % 6 == 2) return {most, minus(most), static_cast<T>(1), minus(most)};
  if (slot % 6 == 3) v.insert(v.end(), {Limits<T>::min(), minus(Limits<T>::min())});
  if (slot % 6 == 4) v.insert(v.end(), {infinity, most});
  if (slot % 6 == 5) v.insert(v.end(), {infinity, minus(infinity), Limits<T>::quiet_NaN()});
  return v;
}
template <class T>
Operands<T, std::int64_t> special_rows(std::int64_t capacity, std::int64_t count, std::int64_t width) {
  Random random(static_cast<std::uint64_t>(count + width));
  Operands<T, std::int64_t> o{.table = poison<T>(capacity * width),
                              .moved = {},
                              .idx = indices<std::int64_t>(random, count, capacity, false),
                              .width = width};
  const auto any_of = [&](std::int64_t slot) {
    const std::vector<T> from = palette<T>(slot);
    return from[random() % from.size()];
  };
  for (std::size_t i = 0; i < o.table.size(); ++i) o.table[i] = any_of(static_cast<std::int64_t>(i) / width);
  for (const std::int64_t slot : o.idx)
    for (std::int64_t c = 0; c < width; ++c) o.moved.push_back(any_of(slot));
  return o;
}
TYPED_TEST(cuda_ops_values, rows_of_special_values_are_updated_in_source_order) {
  for (const std::int64_t width : {1, 2, 5, 8, 33})
    for (const std::int64_t count : {50, 9000})  // 9000: long runs, which blocks process
      for (const auto op : updates) expect_scatter(special_rows<TypeParam>(12, count, width), {.op = op}, Nan::any);
}

/// Updates whose partial sums are all exact, of rows that a sample classifies as hot. Most updates of a slot are zero.
template <class T>
Operands<T, std::int32_t> hot_rows(std::int64_t width, double unit) {
  constexpr std::int64_t capacity = 5000, count = 70'001;
  constexpr int most = (1 << Limits<T>::digits) / 2;  // limit of units of either sign in a sum
  Random random(static_cast<std::uint64_t>(width));
  Operands<T, std::int32_t> o{.table = std::vector<T>(static_cast<std::size_t>(capacity * width)),
                              .moved = std::vector<T>(static_cast<std::size_t>(count * width)),
                              .idx = std::vector<std::int32_t>(static_cast<std::size_t>(count)),
                              .width = width};
  for (auto& i : o.idx) i = static_cast<std::int32_t>(random() % 3 ? random() % 20 * 37 : random() % 5000);
  std::vector<int> units(o.table.size());
  for (std::size_t i = 0; i < o.moved.size(); ++i) {
    int& made = units[static_cast<std::size_t>(o.idx[i / static_cast<std::size_t>(width)] * width) +
                      i % static_cast<std::size_t>(width)];
    if (made < most && random() % 8 == 0) ++made, o.moved[i] = static_cast<T>(random() % 3 ? unit : -unit);
  }
  for (T& x : o.table) x = static_cast<T>(unit * static_cast<double>(random() % most));
  return o;
}
constexpr ScatterOptions as_it_comes{.op = ScatterAtomicOp::Add, .conflict = ScatterConflict::Default};

TEST(cuda_ops, hot_rows_of_halves_lose_nothing) {
  for (const std::int64_t width : {8, 32, 40, 264, 1024}) {
    expect_scatter(hot_rows<half>(width, 1.0), as_it_comes);
    expect_scatter(hot_rows<bfloat16_t>(width, 1.0), as_it_comes);
  }
}
/// These values are subnormal as half and normal as float.
TEST(cuda_ops, hot_rows_of_the_smallest_halves_lose_nothing) {
  for (const std::int64_t width : {8, 32, 40})
    expect_scatter(hot_rows<half>(width, static_cast<double>(Limits<half>::denorm_min())), as_it_comes);
}
/// Sums that overflow are infinite in any order and grouping.
template <class T>
void hot_rows_become_infinite(std::int64_t width) {
  auto o = hot_rows<T>(width, 1.0);
  const T most = Limits<T>::max();
  for (std::size_t i = 0; i < o.moved.size(); ++i) o.moved[i] = i % 2 ? most : minus(most);
  const std::vector<T> before = o.table;
  const OnDevice<T, std::int32_t> device{o};
  device.scatter(as_it_comes);
  ptox::cuda::synchronize();
  const std::vector<T> after = device.table.get();
  std::vector<int> times(static_cast<std::size_t>(o.capacity()));
  for (const auto slot : o.idx) ++times[static_cast<std::size_t>(slot)];
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const int n = times[i / static_cast<std::size_t>(width)];
    const T expected = n == 0 ? before[i] : i % 2 ? Limits<T>::infinity() : minus(Limits<T>::infinity());
    wrong += n != 1 && std::memcmp(&after[i], &expected, sizeof(T)) != 0;
  }
  EXPECT_EQ(wrong, 0u) << "width " << width;
  EXPECT_TRUE(device.guards_stand());
}
TEST(cuda_ops, sums_of_hot_rows_past_the_largest_number_are_infinite) {
  for (const std::int64_t width : {8, 40, 264}) {
    hot_rows_become_infinite<half>(width);
    hot_rows_become_infinite<bfloat16_t>(width);
    hot_rows_become_infinite<float>(width);
  }
}
/// A sum of zeros is negative if all of them are, in any order and grouping. Every third slot gets only negative zeros,
/// and every second slot starts with one.
template <class T>
void zeros_keep_their_sign(std::int64_t capacity, std::int64_t count, std::int64_t width, std::int64_t hot) {
  const T zero = static_cast<T>(0.0);
  Random random(static_cast<std::uint64_t>(capacity));
  Operands<T, std::int32_t> o{.table = std::vector<T>(static_cast<std::size_t>(capacity * width), zero),
                              .moved = std::vector<T>(static_cast<std::size_t>(count * width), zero),
                              .idx = indices<std::int32_t>(random, count, hot, false),
                              .width = width,
                              .by_row = width > 1};
  for (std::size_t i = 0; i < o.table.size(); ++i)
    if (i / static_cast<std::size_t>(width) % 2 == 0) o.table[i] = minus(zero);
  for (std::size_t i = 0; i < o.moved.size(); ++i)
    if (o.idx[i / static_cast<std::size_t>(width)] % 3 == 0 || random() % 2) o.moved[i] = minus(zero);
  expect_scatter(o, as_it_comes);
}
TEST(cuda_ops, zeros_of_hot_rows_keep_their_sign) {
  for (const std::int64_t width : {8, 40, 264}) {
    zeros_keep_their_sign<half>(500, 70'001, width, 30);
    zeros_keep_their_sign<bfloat16_t>(500, 70'001, width, 30);
    zeros_keep_their_sign<float>(500, 70'001, width, 30);
  }
}
TEST(cuda_ops, zeros_of_a_small_table_keep_their_sign) {
  zeros_keep_their_sign<float>(1000, (1 << 22) + 3, 1, 900);
  zeros_keep_their_sign<float>(100'000, (1 << 22) + 3, 1, 100'000);
}
TEST(cuda_ops, zeros_of_windows_keep_their_sign) {
  zeros_keep_their_sign<float>(1 << 24, (1 << 22) + 3, 1, 1 << 22);
  zeros_keep_their_sign<bfloat16_t>(1 << 25, (1 << 22) + 3, 1, 1 << 25);
}
TEST(cuda_ops, zeros_of_few_rows_keep_their_sign) {
  for (const std::int64_t width : {1, 3, 8}) {
    zeros_keep_their_sign<half>(50, 900, width, 40);
    zeros_keep_their_sign<bfloat16_t>(50, 900, width, 40);
    zeros_keep_their_sign<float>(50, 900, width, 40);
    zeros_keep_their_sign<double>(50, 900, width, 40);
  }
}
/// If one update of a row is infinite or NaN, so is the result.
TEST(cuda_ops, hot_rows_keep_an_infinity_and_a_nan) {
  auto o = hot_rows<half>(8, 1.0);
  std::vector<std::uint8_t> seen(5000);
  for (std::size_t i = 0; i < o.idx.size(); ++i)
    if (const auto slot = static_cast<std::size_t>(o.idx[i]); !std::exchange(seen[slot], 1) && slot % 2 == 0)
      o.moved[i * 8 + 3] = slot % 4 ? Limits<half>::infinity() : Limits<half>::quiet_NaN();
  expect_scatter(o, as_it_comes, Nan::any);
}

}  // namespace
