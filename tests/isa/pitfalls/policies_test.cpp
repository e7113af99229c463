// SPDX-License-Identifier: Apache-2.0
// Policies are distinguished by type, in any order.
#include <gtest/gtest.h>

#include <cstdint>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

template <auto... P>
Floats added_rows(const ptox::Target& t) {
  Floats table = counting<float>(16);
  const Report r = scatter<Open<float, 8, 8>, Open<std::int32_t, 1, 8>, P...>(t, flat(table.data(), 2, 8), {3, 8},
                                                                              {1, 3}, {1, 2, 1}, counting<float>(24));
  EXPECT_TRUE(r.clean()) << r;
  return table;
}

TEST(pitfall, policies_are_told_apart_by_type_in_any_order) {
  Floats want = counting<float>(16);
  for (int c = 0; c < 8; ++c) want[8 + c] += static_cast<float>(1 + c) + static_cast<float>(17 + c);
  for (const ptox::Target* t : targets) {
    EXPECT_EQ((added_rows<ScatterAtomicOp::Add, ScatterOOB::Skip>(*t)), want) << "as S0 spells it";
    EXPECT_EQ((added_rows<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(*t)), want);
    EXPECT_EQ((added_rows<ScatterOOB::Skip, ScatterAtomicOp::Add, Coalesce::Row>(*t)), want);
    EXPECT_EQ((added_rows<ScatterOOB::Skip, Coalesce::Row, ScatterAtomicOp::Add>(*t)), want);
  }
  for (const ptox::Target* t : {&at::cpu, &at::a5})
    EXPECT_EQ((added_rows<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip, ScatterConflict::Last>(*t)), want);
}

TEST(pitfall, gather_policies_come_in_any_order_or_not_at_all) {
  using Dst = Open<float, 8, 8>;
  using Idx = Open<std::int32_t, 1, 8>;
  Floats table = counting<float>(16);
  for (const ptox::Target* t : targets) {
    const auto g = flat(table.data(), 2, 8);
    const auto want = gather<Dst, Idx, Coalesce::Row, GatherOOB::Zero>(*t, g, {3, 8}, {1, 3}, {1, 2, 0}).tile;
    EXPECT_EQ((gather<Dst, Idx, GatherOOB::Zero, Coalesce::Row>(*t, g, {3, 8}, {1, 3}, {1, 2, 0}).tile), want);
    EXPECT_EQ((gather<Dst, Idx, GatherOOB::Zero>(*t, g, {3, 8}, {1, 3}, {1, 2, 0}).tile), want);
    EXPECT_EQ((gather<Dst, Idx, Coalesce::Row>(*t, g, {2, 8}, {1, 2}, {1, 0}).tile[0]), table[8]);
    EXPECT_EQ((gather<Dst, Idx>(*t, g, {2, 8}, {1, 2}, {1, 0}).tile[8]), table[0]);
  }
}

}  // namespace
