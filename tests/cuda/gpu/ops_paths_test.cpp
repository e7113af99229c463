// SPDX-License-Identifier: Apache-2.0
// Every code path on the GPU is correct for every type of index and every alignment.
#include <gtest/gtest.h>

#include "ops_cases.hpp"

namespace {

using pto::GatherOOB;
using pto::ScatterAtomicOp;
using pto::ScatterConflict;
using pto::ScatterOOB;
using ptox::ScatterOptions;
using namespace ptox::testing;

template <class I>
class cuda_ops_paths : public ::testing::Test {};
using AllIndices = ::testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_ops_paths, AllIndices);

/// Enough elements of a large enough table to be processed by windows. The indices out of range do not depend on the
/// policy.
template <class T, class I>
Operands<T, I> of_windows(std::int64_t past) {
  const std::int64_t capacity = (std::int64_t{64} << 20) / static_cast<std::int64_t>(sizeof(T)) + past;
  const std::int64_t count = 4'200'003;
  Random random(12);
  return {.table = values<T>(random, capacity),
          .moved = values<T>(random, count),
          .idx = indices<I>(random, count, capacity, true),
          .by_row = false};
}
TYPED_TEST(cuda_ops_paths, windows_take_every_kind_of_index) {
  auto words = of_windows<std::int32_t, TypeParam>(0);
  for (const auto oob : all_scatter_oob) {
    expect_scatter(words, {.oob = oob});
    expect_scatter(words, {.op = ScatterAtomicOp::Add, .oob = oob});
  }
  expect_scatter(words, {.op = ScatterAtomicOp::Max, .oob = ScatterOOB::Skip});
  expect_scatter(words, {.op = ScatterAtomicOp::Min, .oob = ScatterOOB::Wrap});
}
TYPED_TEST(cuda_ops_paths, windows_take_every_address) {
  auto o = of_windows<std::uint16_t, TypeParam>(5);
  o.table_shift = 1, o.moved_shift = 3, o.idx_shift = 1;
  expect_scatter(o, {.oob = ScatterOOB::Undefined});
  expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = ScatterOOB::Clamp});
  auto words = of_windows<float, TypeParam>(8191);
  words.table_shift = 3, words.moved_shift = 1, words.idx_shift = 3;
  expect_scatter(words, {.oob = ScatterOOB::Wrap});
  expect_scatter(words, {.op = ScatterAtomicOp::Add, .oob = ScatterOOB::Skip, .conflict = ScatterConflict::Default});
}
/// Indices at the ends of a window, of the table and of the run select the right element.
TEST(cuda_ops, windows_have_all_their_elements) {
  constexpr std::int64_t capacity = (1 << 24) + 1, count = 1 << 24;
  Operands<std::uint32_t, std::uint32_t> o{
      .table = poison<std::uint32_t>(capacity), .moved = {}, .idx = {}, .by_row = false};
  for (std::uint32_t i = 0; i < count; ++i) o.moved.push_back(i), o.idx.push_back((i * 7919u) % capacity);
  o.idx.back() = capacity - 1;
  expect_scatter(o, {});
}

/// So many elements of so small a table that blocks keep parts of it in shared memory.
template <class T, class I>
Operands<T, I> of_small_table(std::int64_t capacity, std::int64_t count) {
  Random random(static_cast<std::uint64_t>(capacity));
  Operands<T, I> o{.table = values<T>(random, capacity),
                   .moved = std::vector<T>(static_cast<std::size_t>(count)),
                   .idx = indices<I>(random, count, capacity, true),
                   .by_row = false};
  for (T& x : o.moved) x = static_cast<T>(random() % 3);
  return o;
}
constexpr std::int64_t many = 1 << 22;
/// Few capacities except for the most common index type, because each call takes a second on the host.
template <class I>
std::vector<std::int64_t> small_capacities() {
  if (!std::is_same_v<I, std::int32_t>) return {100, 58113, 131073};
  return {1, 7, 32768, 32769, 58112, 58113, 77482, 77488, 131072, 131073};
}

TYPED_TEST(cuda_ops_paths, a_small_table_takes_every_kind_of_index) {
  int turn = 0;
  for (const std::int64_t capacity : small_capacities<TypeParam>()) {
    const auto oob = all_scatter_oob[turn++ % 4], next = all_scatter_oob[turn % 4];
    auto o = of_small_table<float, TypeParam>(capacity, many + turn);
    expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = oob, .conflict = ScatterConflict::Default});
    o.table_shift = 1, o.moved_shift = 3, o.idx_shift = 1;
    expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = next, .conflict = ScatterConflict::Default});
    expect_scatter(of_small_table<std::uint32_t, TypeParam>(capacity, many), {.op = ScatterAtomicOp::Add, .oob = oob});
  }
}
TYPED_TEST(cuda_ops_paths, a_small_table_is_gathered_from_by_every_kind_of_index) {
  int turn = 0;
  for (const std::int64_t capacity : small_capacities<TypeParam>()) {
    auto o = of_small_table<float, TypeParam>(capacity, many + turn);
    o.moved = poison<float>(o.count());
    expect_gather(o, {.oob = all_gather_oob[turn++ % 4]});
    expect_gather(o, {.oob = all_gather_oob[turn % 4]});
    o.table_shift = 1;
    expect_gather(o, {.oob = all_gather_oob[(turn + 1) % 4]});
    o.moved_shift = 2, o.idx_shift = 1;
    expect_gather(o, {.oob = all_gather_oob[(turn + 2) % 4]});
  }
}
/// Rows of 4 bytes of shorter elements, which start at addresses that are not aligned to a word.
template <class T>
void gathers_short_elements(std::size_t shift) {
  Random random(shift);
  constexpr std::int64_t width = 4 / sizeof(T);
  Operands<T, std::int32_t> o{.table = values<T>(random, 1000 * width),
                              .moved = poison<T>((many + 1) * width),
                              .idx = indices<std::int32_t>(random, many + 1, 1000, true),
                              .width = width,
                              .table_shift = shift};
  expect_gather(o, {.oob = GatherOOB::Wrap});
  o.table_shift = 0, o.moved_shift = shift;
  expect_gather(o, {.oob = GatherOOB::Zero});
}
TEST(cuda_ops, a_small_table_of_short_elements_begins_anywhere) {
  gathers_short_elements<half>(1), gathers_short_elements<std::uint16_t>(3);
  for (const std::size_t shift : {1, 2, 3, 4}) gathers_short_elements<std::uint8_t>(shift);
}
TEST(cuda_ops, a_small_table_sum_wraps_as_on_the_host) {
  auto o = of_small_table<std::int32_t, std::int32_t>(9, many);
  for (auto& x : o.moved) x = INT32_MAX - x;
  expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = ScatterOOB::Wrap});
}

/// Elements at every offset from an aligned address, for each operand independently.
template <class T, class I>
void moves_elements_from_every_address() {
  Random random(sizeof(T));
  for (std::size_t shifts = 0; shifts < 4 * 4 * 4; ++shifts) {
    constexpr std::int64_t capacity = 1000, count = 2051;
    Operands<T, I> o{.table = values<T>(random, capacity),
                     .moved = values<T>(random, count),
                     .idx = indices<I>(random, count, capacity, true),
                     .by_row = shifts % 3 == 0,
                     .table_shift = shifts % 4,
                     .moved_shift = shifts / 4 % 4,
                     .idx_shift = shifts / 16};
    expect_gather(o, {.oob = all_gather_oob[shifts % 4]});
    expect_scatter(o, {.oob = all_scatter_oob[shifts / 4 % 4]});
    expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = all_scatter_oob[shifts / 16]});
    expect_scatter(o, {.op = ScatterAtomicOp::Min, .oob = ScatterOOB::Skip, .conflict = ScatterConflict::Default});
  }
}
TYPED_TEST(cuda_ops_paths, elements_are_moved_from_every_address) {
  moves_elements_from_every_address<std::uint8_t, TypeParam>();
  moves_elements_from_every_address<half, TypeParam>();
  moves_elements_from_every_address<std::int32_t, TypeParam>();
  moves_elements_from_every_address<double, TypeParam>();
}

/// Rows with gaps, whose contents must not change.
template <class T, class I>
void moves_rows_that_lie_apart() {
  Random random(sizeof(T) + sizeof(I));
  std::size_t turn = 0;
  for (const std::int64_t width : {1, 2, 3, 4, 8, 15, 16, 32, 33, 64, 131})
    for (const std::int64_t gap : {0, 1, 2, 5, 16}) {
      const std::int64_t capacity = 90, count = 701, other = gap * 3 % 7;
      Operands<T, I> o{.table = values<T>(random, capacity * (width + gap)),
                       .moved = values<T>(random, count * (width + other)),
                       .idx = indices<I>(random, count, capacity, true),
                       .width = width,
                       .table_stride = width + gap,
                       .moved_stride = width + other,
                       .table_shift = turn % 2,
                       .moved_shift = turn / 2 % 2};
      expect_gather(o, {.oob = all_gather_oob[turn % 4]});
      expect_scatter(o, {.oob = all_scatter_oob[turn % 4]});
      expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = all_scatter_oob[turn++ % 4]});
      expect_scatter(o, {.op = ScatterAtomicOp::Max, .oob = ScatterOOB::Wrap, .conflict = ScatterConflict::Default});
    }
}
TYPED_TEST(cuda_ops_paths, rows_that_lie_apart_are_moved_and_nothing_else) {
  moves_rows_that_lie_apart<std::int8_t, TypeParam>();
  moves_rows_that_lie_apart<bfloat16_t, TypeParam>();
  moves_rows_that_lie_apart<float, TypeParam>();
  moves_rows_that_lie_apart<std::uint64_t, TypeParam>();
}

/// Overlapping rows, as of a sliding window, may be read.
TEST(cuda_ops, rows_that_overlap_are_gathered) {
  Random random(6);
  constexpr std::int64_t rows = 500, width = 16, stride = 3;
  const auto table = values<float>(random, (rows - 1) * stride + width);
  const auto idx = indices<std::int32_t>(random, 2000, rows, false);
  std::vector<float> out = poison<float>(2000 * width);
  const Guarded<float> device_table(table), device_out(out);
  const Guarded<std::int32_t> device_idx(idx);
  ptox::gather_rows(ptox::Rows{table.data(), rows, width, stride}, idx, ptox::Rows{out.data(), 2000, width});
  ptox::cuda::gather_rows(ptox::Rows{device_table.data(), rows, width, stride}, device_idx.span(),
                          ptox::Rows{device_out.data(), 2000, width});
  ptox::cuda::synchronize();
  EXPECT_TRUE(equal(out, device_out.get()) && device_out.guards_stand());
}

/// With ScatterConflict::Default, each 16 bytes of a row that is written several times come from one of the writers.
void stores_as_they_come(std::int64_t width) {
  Random random(static_cast<std::uint64_t>(width));
  constexpr std::int64_t capacity = 300, count = 20'000;
  Operands<std::uint32_t, std::int32_t> o{.table = poison<std::uint32_t>(capacity * width),
                                          .moved = {},
                                          .idx = indices<std::int32_t>(random, count, capacity - 1, false),
                                          .width = width};
  for (std::uint32_t i = 0; i < count * width; ++i) o.moved.push_back(i / static_cast<std::uint32_t>(width));
  const OnDevice<std::uint32_t, std::int32_t> device{o};
  device.scatter({.conflict = ScatterConflict::Default});
  ptox::cuda::synchronize();
  const std::vector<std::uint32_t> after = device.table.get();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto slot = static_cast<std::int32_t>(i / static_cast<std::size_t>(width));
    const bool from_its_own = after[i] < count && o.idx[after[i]] == slot, untouched = after[i] == 0x5a5a5a5au;
    wrong += after[i] != after[i / 4 * 4] || !(slot == capacity - 1 ? untouched : from_its_own);
  }
  EXPECT_EQ(wrong, 0u) << "width " << width;
  EXPECT_TRUE(device.guards_stand());
}
TEST(cuda_ops, each_16_bytes_of_rows_that_meet_as_they_come_are_of_one) {
  for (const std::int64_t width : {4, 8, 12, 128, 2048}) stores_as_they_come(width);
}

/// Structs whose sizes differ from those of all number types.
template <class T>
void moves_structs() {
  Random random(7);
  for (const std::int64_t width : {1, 2, 5}) {
    Operands<T, std::int64_t> o{.table = std::vector<T>(static_cast<std::size_t>(100 * width)),
                                .moved = std::vector<T>(static_cast<std::size_t>(900 * width)),
                                .idx = indices<std::int64_t>(random, 900, 100, true),
                                .width = width};
    for (auto* all : {&o.table, &o.moved})
      for (T& x : *all)
        for (auto& byte : x) byte = static_cast<std::uint8_t>(random());
    expect_gather(o, {.oob = GatherOOB::Zero});
    expect_scatter(o, {.oob = ScatterOOB::Clamp});
    o.table_shift = o.moved_shift = 1;
    expect_gather(o, {.oob = GatherOOB::Wrap});
    expect_scatter(o, {.oob = ScatterOOB::Skip});
  }
}
TEST(cuda_ops, elements_of_any_size_are_moved) {
  moves_structs<std::array<std::uint8_t, 3>>(), moves_structs<std::array<std::uint8_t, 12>>();
  moves_structs<std::array<std::uint8_t, 16>>(), moves_structs<std::array<std::uint8_t, 24>>();
}

}  // namespace
