// SPDX-License-Identifier: Apache-2.0
// Whole-tensor calls on the GPU give the bytes of those on the host.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "guarded.hpp"
#include "ops_cases.hpp"
#include "ptox/cuda.hpp"

namespace {

using pto::GatherOOB;
using pto::ScatterAtomicOp;
using pto::ScatterConflict;
using pto::ScatterOOB;
using ptox::GatherOptions;
using ptox::Rows;
using ptox::ScatterOptions;
using ptox::testing::Guarded;
using ptox::testing::indices;
using ptox::testing::Random;
using ptox::testing::same;
using ptox::testing::values;

struct Case {
  std::uint64_t seed;
  std::int64_t capacity, count, width, table_gap, moved_gap;
  std::size_t shift;  ///< offset from an aligned address, in elements
  std::string text() const {
    return "seed " + std::to_string(seed) + ": capacity " + std::to_string(capacity) + ", " + std::to_string(count) +
           " rows of " + std::to_string(width) + ", gaps " + std::to_string(table_gap) + " and " +
           std::to_string(moved_gap) + ", shift " + std::to_string(shift);
  }
};
Case random_case(std::uint64_t seed) {
  Random random(seed);
  const std::int64_t capacities[] = {1, 7, 100, 50257}, counts[] = {1, 31, 32, 33, 1000, 20011};
  const std::int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 33, 64, 100, 128, 129, 300, 1024};
  Case c{seed, capacities[random() % 4], counts[random() % 6], widths[random() % 18], 0, 0, random() % 5};
  if (c.width > 128 && c.count > 1000) c.count = 1000;
  if (random() % 3 == 0) c.table_gap = static_cast<std::int64_t>(random() % 9);
  if (random() % 3 == 0) c.moved_gap = static_cast<std::int64_t>(random() % 9);
  if (random() % 2 == 0) c.shift = 0;
  return c;
}

template <class T, class I>
void gathers_as_the_host(const Case& c) {
  Random random(c.seed);
  const std::int64_t table_step = c.width + c.table_gap, out_step = c.width + c.moved_gap;
  auto table = values<T>(random, c.capacity * table_step), out = values<T>(random, c.count * out_step);
  const auto oob = std::array{GatherOOB::Clamp, GatherOOB::Wrap, GatherOOB::Zero, GatherOOB::Undefined}[c.seed % 4];
  const auto idx = indices<I>(random, c.count, c.capacity, oob != GatherOOB::Undefined);
  const Guarded<T> device_table(table, c.shift), device_out(out, c.shift);
  const Guarded<I> device_idx(idx);
  ptox::gather_rows(Rows{table.data(), c.capacity, c.width, table_step}, idx,
                    Rows{out.data(), c.count, c.width, out_step}, {.oob = oob});
  ptox::cuda::gather_rows(Rows{device_table.data(), c.capacity, c.width, table_step}, device_idx.span(),
                          Rows{device_out.data(), c.count, c.width, out_step}, {.oob = oob});
  ptox::cuda::synchronize();
  EXPECT_TRUE(same(out, device_out.get())) << c.text() << ", " << sizeof(T) << " bytes";
  EXPECT_TRUE(same(table, device_table.get()) && same(idx, device_idx.get())) << c.text();
  EXPECT_TRUE(device_out.guards_stand() && device_table.guards_stand()) << c.text();
}

template <class T, class I>
void scatters_as_the_host(const Case& c, ScatterAtomicOp op, ScatterConflict conflict) {
  Random random(c.seed);
  const std::int64_t table_step = c.width + c.table_gap, src_step = c.width + c.moved_gap;
  auto table = values<T>(random, c.capacity * table_step), src = values<T>(random, c.count * src_step);
  const auto oob = std::array{ScatterOOB::Clamp, ScatterOOB::Wrap, ScatterOOB::Skip, ScatterOOB::Undefined}[c.seed % 4];
  const auto idx = indices<I>(random, c.count, c.capacity, oob != ScatterOOB::Undefined);
  const Guarded<T> device_table(table, c.shift), device_src(src, c.shift);
  const Guarded<I> device_idx(idx);
  ptox::scatter_rows(Rows{table.data(), c.capacity, c.width, table_step}, idx,
                     Rows{src.data(), c.count, c.width, src_step}, {.op = op, .oob = oob});
  const Rows<T> rows{device_table.data(), c.capacity, c.width, table_step};
  const Rows<T> from{device_src.data(), c.count, c.width, src_step};
  ptox::cuda::scatter_rows(rows, device_idx.span(), from, {.op = op, .oob = oob, .conflict = conflict});
  ptox::cuda::synchronize();
  EXPECT_TRUE(same(table, device_table.get()))
      << c.text() << ", " << pto::instr::name(op) << " " << pto::instr::name(conflict) << ", " << sizeof(T) << " bytes";
  EXPECT_TRUE(same(src, device_src.get()) && same(idx, device_idx.get())) << c.text();
  EXPECT_TRUE(device_src.guards_stand() && device_table.guards_stand()) << c.text();
}

template <class T>
class MovedType : public ::testing::Test {};
using Moved =
    ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, half,
                     bfloat16_t, float, double, float8_e4m3_t, float8_e5m2_t, hifloat8_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(MovedType, Moved);
TYPED_TEST(MovedType, is_gathered_as_on_the_host) {
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    seed % 3 ? gathers_as_the_host<TypeParam, std::int32_t>(random_case(seed))
             : gathers_as_the_host<TypeParam, std::int64_t>(random_case(seed));
}
TYPED_TEST(MovedType, is_stored_in_order) {
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    seed % 3 ? scatters_as_the_host<TypeParam, std::uint32_t>(random_case(seed), ScatterAtomicOp::None,
                                                              ScatterConflict::Last)
             : scatters_as_the_host<TypeParam, std::int64_t>(random_case(seed), ScatterAtomicOp::None,
                                                             ScatterConflict::Last);
}

template <class T>
class UpdatedType : public ::testing::Test {};
using Updated = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                 half, bfloat16_t, float, std::int64_t, std::uint64_t, double>;
TYPED_TEST_SUITE(UpdatedType, Updated);
TYPED_TEST(UpdatedType, is_updated_in_order) {
  for (const auto op : {ScatterAtomicOp::Add, ScatterAtomicOp::Max, ScatterAtomicOp::Min})
    for (std::uint64_t seed = 0; seed < 24; ++seed)
      seed % 3 ? scatters_as_the_host<TypeParam, std::int32_t>(random_case(seed), op, ScatterConflict::Last)
               : scatters_as_the_host<TypeParam, std::uint64_t>(random_case(seed), op, ScatterConflict::Last);
}
/// Integers whose sums are exact, maxima or minima, so that the order does not affect the result.
TYPED_TEST(UpdatedType, is_updated_as_it_comes) {
  constexpr bool exact = sizeof(TypeParam) >= 4 || std::is_integral_v<TypeParam>;
  for (const auto op : {ScatterAtomicOp::Add, ScatterAtomicOp::Max, ScatterAtomicOp::Min})
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      if (!exact && op == ScatterAtomicOp::Add) continue;
      scatters_as_the_host<TypeParam, std::int32_t>(random_case(seed), op, ScatterConflict::Default);
    }
}

template <class T>
void adds_distinct_rows(std::int64_t width) {
  Random random(static_cast<std::uint64_t>(width));
  const std::int64_t capacity = 3000, count = 1000;
  auto table = values<T>(random, capacity * width), src = values<T>(random, count * width);
  std::vector<std::int32_t> idx(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < idx.size(); ++i) idx[i] = static_cast<std::int32_t>(i * 7 % 3000);
  const Guarded<T> device_table(table), device_src(src);
  const Guarded<std::int32_t> device_idx(idx);
  const ScatterOptions add{.op = ScatterAtomicOp::Add, .conflict = ScatterConflict::Default};
  ptox::scatter_rows(Rows{table.data(), capacity, width}, idx, Rows{src.data(), count, width}, add);
  ptox::cuda::scatter_rows(Rows{device_table.data(), capacity, width}, device_idx.span(),
                           Rows{device_src.data(), count, width}, add);
  ptox::cuda::synchronize();
  EXPECT_TRUE(same(table, device_table.get())) << "width " << width;
}
TEST(cuda_ops, one_add_of_a_half_is_rounded_as_on_the_host) {
  for (const std::int64_t width : {1, 2, 3, 8, 16, 64, 100, 4096})
    adds_distinct_rows<half>(width), adds_distinct_rows<bfloat16_t>(width);
}

/// A few rows get most of the updates, so that they are summed before they are added in memory. float represents all
/// sums exactly.
void adds_to_hot_rows(std::int64_t width) {
  Random random(5);
  const std::int64_t capacity = 5000, count = 200'000;
  std::vector<float> table(static_cast<std::size_t>(capacity * width), 1.0f);
  std::vector<float> src(static_cast<std::size_t>(count * width));
  for (float& x : src) x = static_cast<float>(random() % 3);
  std::vector<std::int64_t> idx(static_cast<std::size_t>(count));
  for (auto& i : idx) i = static_cast<std::int64_t>(random() % 3 ? random() % 20 * 37 : random() % 5000);
  const ScatterOptions add{.op = ScatterAtomicOp::Add, .oob = ScatterOOB::Skip, .conflict = ScatterConflict::Default};
  const Guarded<float> device_table(table), device_src(src);
  const Guarded<std::int64_t> device_idx(idx);
  ptox::scatter_rows(Rows{table.data(), capacity, width}, idx, Rows{src.data(), count, width}, add);
  ptox::cuda::scatter_rows(Rows{device_table.data(), capacity, width}, device_idx.span(),
                           Rows{device_src.data(), count, width}, add);
  ptox::cuda::synchronize();
  EXPECT_TRUE(same(table, device_table.get())) << "width " << width;
  EXPECT_TRUE(device_table.guards_stand());
}
TEST(cuda_ops, hot_rows_lose_nothing) {
  for (const std::int64_t width : {4, 16, 20, 128, 2048}) adds_to_hot_rows(width);
}

/// Enough elements of a large enough table to be processed by windows.
template <class T>
void scatters_by_windows(ScatterAtomicOp op, ScatterConflict conflict, ScatterOOB oob) {
  const std::int64_t capacity = (std::int64_t{96} << 20) / static_cast<std::int64_t>(sizeof(T)) + 13, count = 5'000'011;
  Random random(11);
  auto table = values<T>(random, capacity), src = values<T>(random, count);
  const auto idx = indices<std::int32_t>(random, count, capacity, oob != ScatterOOB::Undefined);
  const Guarded<T> device_table(table), device_src(src);
  const Guarded<std::int32_t> device_idx(idx);
  ptox::scatter(table, idx, src, {.op = op, .oob = oob});
  ptox::cuda::scatter(device_table.span(), device_idx.span(), device_src.span(),
                      {.op = op, .oob = oob, .conflict = conflict});
  ptox::cuda::synchronize();
  EXPECT_TRUE(same(table, device_table.get())) << pto::instr::name(op) << " " << pto::instr::name(oob);
  EXPECT_TRUE(device_table.guards_stand());
}
TEST(cuda_ops, windows_of_a_large_table_leave_the_same_bytes) {
  for (const auto oob : {ScatterOOB::Undefined, ScatterOOB::Skip, ScatterOOB::Clamp, ScatterOOB::Wrap}) {
    scatters_by_windows<float>(ScatterAtomicOp::None, ScatterConflict::Last, oob);
    scatters_by_windows<float>(ScatterAtomicOp::Add, ScatterConflict::Default, oob);
  }
  scatters_by_windows<float>(ScatterAtomicOp::Max, ScatterConflict::Default, ScatterOOB::Skip);
  scatters_by_windows<std::int32_t>(ScatterAtomicOp::Add, ScatterConflict::Last, ScatterOOB::Skip);
  scatters_by_windows<std::int32_t>(ScatterAtomicOp::Min, ScatterConflict::Last, ScatterOOB::Wrap);
  scatters_by_windows<std::uint16_t>(ScatterAtomicOp::None, ScatterConflict::Last, ScatterOOB::Skip);
  scatters_by_windows<bfloat16_t>(ScatterAtomicOp::Max, ScatterConflict::Default, ScatterOOB::Clamp);
}

/// So many elements of so small a table that blocks keep partial sums.
template <class T>
void adds_to_a_small_table(std::int64_t capacity, ScatterOOB oob) {
  const std::int64_t count = 4'200'003;
  Random random(static_cast<std::uint64_t>(capacity));
  auto table = values<T>(random, capacity);
  std::vector<T> src(static_cast<std::size_t>(count));
  for (T& x : src) x = static_cast<T>(random() % 3);
  const auto idx = indices<std::int32_t>(random, count, capacity, oob != ScatterOOB::Undefined);
  const Guarded<T> device_table(table), device_src(src);
  const Guarded<std::int32_t> device_idx(idx);
  const ScatterOptions add{.op = ScatterAtomicOp::Add, .oob = oob, .conflict = ScatterConflict::Default};
  ptox::scatter(table, idx, src, add);
  ptox::cuda::scatter(device_table.span(), device_idx.span(), device_src.span(), add);
  ptox::cuda::synchronize();
  EXPECT_TRUE(same(table, device_table.get())) << "capacity " << capacity;
  EXPECT_TRUE(device_table.guards_stand());
}
TEST(cuda_ops, a_small_table_takes_many_sums) {
  for (const std::int64_t capacity : {1, 7, 100, 32768, 32769, 50257, 131072, 131073}) {
    adds_to_a_small_table<float>(capacity, ScatterOOB::Skip);
    adds_to_a_small_table<std::int32_t>(capacity, ScatterOOB::Undefined);
  }
}

/// Slots with so many updates that a block processes each.
template <class T>
void folds_long_runs(std::int64_t width, ScatterAtomicOp op) {
  Random random(static_cast<std::uint64_t>(width));
  const std::int64_t capacity = 40, count = 30'000;
  auto table = values<T>(random, capacity * width), src = values<T>(random, count * width);
  std::vector<std::int32_t> idx(static_cast<std::size_t>(count));
  for (auto& i : idx) i = static_cast<std::int32_t>(random() % 3 ? random() % 3 * 5 : random() % 40);
  const Guarded<T> device_table(table), device_src(src);
  const Guarded<std::int32_t> device_idx(idx);
  ptox::scatter_rows(Rows{table.data(), capacity, width}, idx, Rows{src.data(), count, width}, {.op = op});
  ptox::cuda::scatter_rows(Rows{device_table.data(), capacity, width}, device_idx.span(),
                           Rows{device_src.data(), count, width}, {.op = op});
  ptox::cuda::synchronize();
  EXPECT_TRUE(same(table, device_table.get())) << "width " << width;
  EXPECT_TRUE(device_table.guards_stand());
}
TEST(cuda_ops, a_slot_that_many_rows_lead_to_is_updated_in_order) {
  for (const std::int64_t width : {2, 3, 16, 127, 128, 129, 300}) {
    folds_long_runs<float>(width, ScatterAtomicOp::Add);
    folds_long_runs<half>(width, ScatterAtomicOp::Add);
    folds_long_runs<bfloat16_t>(width, ScatterAtomicOp::Max);
  }
  folds_long_runs<double>(33, ScatterAtomicOp::Add), folds_long_runs<float>(33, ScatterAtomicOp::Min);
}

TEST(cuda_ops, last_gives_the_same_bytes_in_twenty_runs) {
  Random random(3);
  const std::int64_t capacity = 100, count = 20011, width = 33;
  std::vector<float> table(static_cast<std::size_t>(capacity * width)), src(static_cast<std::size_t>(count * width));
  for (float& x : src) x = std::bit_cast<float>(static_cast<std::uint32_t>(0x3f000000u + random() % 0x01000000u));
  const auto idx = indices<std::int32_t>(random, count, capacity, false);
  const Guarded<float> device_src(src);
  const Guarded<std::int32_t> device_idx(idx);
  auto expected = table;
  ptox::scatter_rows(Rows{expected.data(), capacity, width}, idx, Rows{src.data(), count, width},
                     {.op = ScatterAtomicOp::Add});
  for (int run = 0; run < 20; ++run) {
    const Guarded<float> device_table(table);
    ptox::cuda::scatter_rows(Rows{device_table.data(), capacity, width}, device_idx.span(),
                             Rows{device_src.data(), count, width}, {.op = ScatterAtomicOp::Add});
    ptox::cuda::synchronize();
    EXPECT_TRUE(same(expected, device_table.get())) << "run " << run;
  }
}

TEST(cuda_ops, an_index_that_nothing_defines_is_named) {
  const Guarded<float> table(std::vector<float>(100, 1.0f)), out(std::vector<float>(5, 2.0f));
  const Guarded<std::int32_t> idx({3, 99, 100, -1, 5});
  ptox::cuda::gather(table.span(), idx.span(), out.span());
  try {
    ptox::cuda::synchronize();
    ADD_FAILURE();
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "ptox::cuda::gather: idx[2] = 100, table has 100 elements. Clamp, Wrap or Zero define this");
  }
  EXPECT_EQ(out.get(), (std::vector<float>{1, 1, 0, 0, 1}));
  ptox::cuda::synchronize();  // each error is reported once
}

TEST(cuda_ops, wrong_sizes_are_refused_at_once) {
  const Guarded<float> table(std::vector<float>(100)), out(std::vector<float>(4));
  const Guarded<std::int32_t> idx({1, 2, 3});
  EXPECT_THROW(ptox::cuda::gather(table.span(), idx.span(), out.span()), std::invalid_argument);
  EXPECT_THROW(ptox::cuda::scatter(table.span(), idx.span(), out.span()), std::invalid_argument);
}

TEST(cuda_ops, nothing_is_moved_where_there_is_nothing) {
  const Guarded<float> table(std::vector<float>(100)), none(std::vector<float>{});
  const Guarded<std::int32_t> idx(std::vector<std::int32_t>{});
  ptox::cuda::gather(table.span(), idx.span(), none.span());
  ptox::cuda::scatter(table.span(), idx.span(), none.span(), {.op = ScatterAtomicOp::Add});
  ptox::cuda::gather_rows(Rows{none.data(), 100, 0}, idx.span(), Rows{none.data(), 0, 0});
  ptox::cuda::synchronize();
}

}  // namespace
