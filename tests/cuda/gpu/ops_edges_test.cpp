// SPDX-License-Identifier: Apache-2.0
// Indices at both ends of a table, and any indices of an empty table, with every policy.
#include <gtest/gtest.h>

#include "ops_cases.hpp"

namespace {

using pto::ScatterAtomicOp;
using pto::ScatterConflict;
using ptox::ScatterOptions;
using namespace ptox::testing;

/// All edge indices once, then random indices that include edges.
template <class I>
std::vector<I> with_edges(std::int64_t capacity, std::int64_t count) {
  Random random(static_cast<std::uint64_t>(count));
  std::vector<I> idx = edges_of<I>(capacity);
  if (capacity > 0)
    for (const I x : indices<I>(random, count, capacity, true)) idx.push_back(x);
  return idx;
}
template <class T, class I>
Operands<T, I> at_edges(std::int64_t capacity, std::int64_t count, std::int64_t width) {
  Random random(static_cast<std::uint64_t>(capacity + width));
  Operands<T, I> o{
      .table = values<T>(random, capacity * width), .moved = {}, .idx = with_edges<I>(capacity, count), .width = width};
  o.moved = values<T>(random, o.count() * width);
  return o;
}

template <class T, class I>
void moves_at_edges(Operands<T, I> o) {
  for (const auto oob : all_scatter_oob) {
    expect_scatter(o, {.oob = oob});
    expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = oob});
    expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = oob, .conflict = ScatterConflict::Default});
  }
  o.moved = poison<T>(static_cast<std::int64_t>(o.moved.size()));
  for (const auto oob : all_gather_oob) expect_gather(o, {.oob = oob});
}

template <class I>
class cuda_ops_edges : public ::testing::Test {};
using AllIndices = ::testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_ops_edges, AllIndices);

TYPED_TEST(cuda_ops_edges, elements_go_where_the_hosts_go) {
  for (const std::int64_t capacity : {1, 7, 100, 50257})
    for (const std::int64_t count : {1, 9001})
      for (const bool by_row : {false, true}) {
        auto o = at_edges<float, TypeParam>(capacity, count, 1);
        o.by_row = by_row;
        moves_at_edges(o);
        auto narrow = at_edges<std::uint8_t, TypeParam>(capacity, count, 1);
        narrow.by_row = by_row;
        moves_at_edges(narrow);
      }
}
TYPED_TEST(cuda_ops_edges, rows_go_where_the_hosts_go) {
  for (const std::int64_t capacity : {1, 7, 100, 50257})
    for (const std::int64_t width : {3, 4, 16, 130}) {
      if (capacity * width > 1'000'000) continue;
      moves_at_edges(at_edges<std::int32_t, TypeParam>(capacity, 600, width));
      moves_at_edges(at_edges<std::int16_t, TypeParam>(capacity, 600, width));
      moves_at_edges(at_edges<double, TypeParam>(capacity, 600, width));
    }
}

/// A table without rows: only Skip and Zero define the effect of an index. Other policies are reported by
/// `synchronize`.
TYPED_TEST(cuda_ops_edges, a_table_without_rows_is_left_alone) {
  for (const std::int64_t width : {1, 3, 16})
    for (const bool by_row : {true, false}) {
      if (!by_row && width > 1) continue;
      auto o = at_edges<float, TypeParam>(0, 0, width);
      o.by_row = by_row;
      moves_at_edges(o);
      auto narrow = at_edges<half, TypeParam>(0, 0, width);
      narrow.by_row = by_row;
      moves_at_edges(narrow);
    }
}
TEST(cuda_ops, a_table_without_rows_is_named) {
  const Operands<float, std::int32_t> o{.table = {}, .moved = {1.0f, 2.0f}, .idx = {5, 0}, .by_row = false};
  const OnDevice<float, std::int32_t> device{o};
  device.scatter({.op = ScatterAtomicOp::Add, .oob = pto::ScatterOOB::Clamp});
  EXPECT_EQ(said_by([] { ptox::cuda::synchronize(); }),
            "ptox::cuda::scatter: idx[0] = 5, table has 0 elements. Only Skip defines this");
  device.gather({.oob = pto::GatherOOB::Wrap});
  EXPECT_EQ(said_by([] { ptox::cuda::synchronize(); }),
            "ptox::cuda::gather: idx[0] = 5, table has 0 elements. Only Zero defines this");
  EXPECT_EQ(device.moved.get(), (std::vector<float>{0, 0}));
}

/// Rows without elements.
TEST(cuda_ops, rows_without_elements_move_nothing) {
  const Guarded<float> none(std::vector<float>{});
  const Guarded<std::int32_t> idx({0, 1, 2});
  ptox::cuda::scatter_rows(ptox::Rows{none.data(), 3, 0}, idx.span(), ptox::Rows{none.data(), 3, 0},
                           {.op = ScatterAtomicOp::Add});
  ptox::cuda::gather_rows(ptox::Rows{none.data(), 3, 0}, idx.span(), ptox::Rows{none.data(), 3, 0});
  ptox::cuda::synchronize();
  EXPECT_TRUE(none.guards_stand() && idx.guards_stand());
}

}  // namespace
