// SPDX-License-Identifier: Apache-2.0
// Every call on the GPU gives the results of the host for random operands. The operands differ in every run: a failure
// prints its seed, and PTOX_TEST_SEED=<seed> repeats it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "ops_cases.hpp"

namespace {

using pto::ScatterAtomicOp;
using pto::ScatterConflict;
using ptox::ScatterOptions;
using namespace ptox::testing;

template <class V>
auto any_of(Random& random, const V& from) {
  return from[random() % std::size(from)];
}

/// Any value except large numbers, which would make most sums NaN.
template <class T>
T any_value(Random& random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random());
  } else if constexpr (std::is_same_v<T, float8_e4m3_t>) {
    return std::bit_cast<T>(static_cast<std::uint8_t>(random()));
  } else {
    using Limits = std::numeric_limits<T>;
    const std::uint64_t kind = random() % 64;
    const T rare[] = {Limits::infinity(),   Limits::quiet_NaN(), Limits::max(),
                      Limits::denorm_min(), Limits::min(),       static_cast<T>(-0.0)};
    if (kind < 2) return any_of(random, rare);
    return static_cast<T>(
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> 40), static_cast<int>(kind) % 8 - 24));
  }
}
/// Small integers, whose sums are exact in any order and grouping; no negative zero.
template <class T>
T exact_value(Random& random) {
  return static_cast<T>(static_cast<int>(random() % 7) - 3);
}

struct Shape {
  std::int64_t capacity, count, width, table_gap, moved_gap;
};
Shape any_shape(Random& random) {
  const std::int64_t capacities[] = {1, 2, 5, 31, 100, 999, 4097, 60'000}, counts[] = {1, 2, 31, 33, 500, 3001, 70'003};
  const std::int64_t widths[] = {1, 1, 1, 2, 3, 4, 6, 8, 16, 20, 31, 32, 64, 65, 127, 256, 1000};
  Shape s{any_of(random, capacities), any_of(random, counts), any_of(random, widths), 0, 0};
  while (std::max(s.capacity, s.count) * s.width > 4'000'000) s.width = any_of(random, widths);
  if (random() % 3 == 0) s.table_gap = static_cast<std::int64_t>(random() % 17);
  if (random() % 3 == 0) s.moved_gap = static_cast<std::int64_t>(random() % 17);
  return s;
}
/// Random indices; sometimes a few slots get most of the updates.
template <class I>
std::vector<I> any_indices(Random& random, const Shape& s) {
  auto idx = indices<I>(random, s.count, s.capacity, random() % 2 == 0);
  const std::uint64_t few = 1 + random() % 9;
  if (random() % 2)
    for (I& i : idx)
      if (random() % 4) i = static_cast<I>(random() % few % static_cast<std::uint64_t>(s.capacity));
  return idx;
}
template <class T, class I, class Value>
Operands<T, I> any_operands(Random& random, const Value& value) {
  const Shape s = any_shape(random);
  Operands<T, I> o{.table = std::vector<T>(static_cast<std::size_t>(s.capacity * (s.width + s.table_gap))),
                   .moved = std::vector<T>(static_cast<std::size_t>(s.count * (s.width + s.moved_gap))),
                   .idx = any_indices<I>(random, s),
                   .width = s.width,
                   .table_stride = s.width + s.table_gap,
                   .moved_stride = s.width + s.moved_gap,
                   .by_row = s.width > 1 || s.table_gap > 0 || s.moved_gap > 0 || random() % 2 == 0};
  for (auto* all : {&o.table, &o.moved})
    for (T& x : *all) x = value(random);
  if (random() % 2) o.table_shift = random() % 8, o.moved_shift = random() % 8, o.idx_shift = random() % 4;
  return o;
}

/// ScatterConflict::Default only where the order does not affect the result. Sums of half and bfloat16_t may round, so
/// they need source order.
template <class T>
ScatterOptions any_options(Random& random, bool exact) {
  constexpr ScatterAtomicOp all[] = {ScatterAtomicOp::None, ScatterAtomicOp::Add, ScatterAtomicOp::Max,
                                     ScatterAtomicOp::Min};
  ScatterOptions o{.op = any_of(random, all), .oob = any_of(random, all_scatter_oob)};
  constexpr bool short_float = !std::is_integral_v<T> && sizeof(T) == 2;
  const bool order_shows = o.op == ScatterAtomicOp::None || (short_float && o.op == ScatterAtomicOp::Add);
  if (exact && !order_shows) o.conflict = ScatterConflict::Default;
  return o;
}
template <class T, class I>
void runs_any_call(Random& random) {
  constexpr bool updated = !std::is_same_v<T, float8_e4m3_t>;
  if (!updated || random() % 3 == 0) {
    const auto o = any_operands<T, I>(random, any_value<T>);
    random() % 2 || !updated ? expect_gather(o, {.oob = any_of(random, all_gather_oob)})
                             : expect_scatter(o, {.oob = any_of(random, all_scatter_oob)});
  } else if constexpr (updated) {
    const bool exact = random() % 2 == 0;
    const auto o = exact ? any_operands<T, I>(random, exact_value<T>) : any_operands<T, I>(random, any_value<T>);
    expect_scatter(o, any_options<T>(random, exact), Nan::any);
  }
}
template <class T>
void runs_any_index(Random& random) {
  switch (random() % 4) {
    case 0:
      return runs_any_call<T, std::int32_t>(random);
    case 1:
      return runs_any_call<T, std::uint32_t>(random);
    case 2:
      return runs_any_call<T, std::int64_t>(random);
    default:
      return runs_any_call<T, std::uint64_t>(random);
  }
}

std::uint64_t first_seed() {
  if (const char* given = std::getenv("PTOX_TEST_SEED")) return std::strtoull(given, nullptr, 10);
  std::random_device device;
  return std::uint64_t{device()} << 16;
}

template <class T>
class cuda_random : public ::testing::Test {};
using All = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                             std::int64_t, std::uint64_t, half, bfloat16_t, float, double, float8_e4m3_t>;
TYPED_TEST_SUITE(cuda_random, All);
TYPED_TEST(cuda_random, calls_leave_what_the_host_leaves) {
  const bool given = std::getenv("PTOX_TEST_SEED") != nullptr;
  const std::uint64_t first = first_seed();
  for (std::uint64_t seed = first; seed < first + (given ? 1 : 60) && !this->HasFailure(); ++seed) {
    SCOPED_TRACE("PTOX_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    runs_any_index<TypeParam>(random);
  }
}

}  // namespace
