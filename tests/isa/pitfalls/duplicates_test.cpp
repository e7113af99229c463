// SPDX-License-Identifier: Apache-2.0
// Which of several writers to one place wins, and whether it is reported.
#include <gtest/gtest.h>

#include <cstdint>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

template <auto... P>
Report duplicate_rows(const ptox::Target& t, Floats& table, std::uint64_t seed = 0) {
  return scatter<Open<float, 8, 8>, Open<std::int32_t, 1, 8>, Coalesce::Row, P...>(
      t, flat(table.data(), 10, 8), {5, 8}, {1, 5}, {4, 9, 6, 4, 9}, counting<float>(40), {.seed = seed});
}

TEST(pitfall, the_last_of_two_writers_wins_and_is_reported) {
  for (const ptox::Target* t : targets)
    for (std::uint64_t seed : {0u, 1u, 77u}) {
      Floats table(80), want(80);
      for (int c = 0; c < 8; ++c) want[48 + c] = 17 + c, want[32 + c] = 25 + c, want[72 + c] = 33 + c;
      const Report r = duplicate_rows<>(*t, table, seed);
      EXPECT_TRUE(same_bytes(table, want)) << t->name << " seed " << seed;
      EXPECT_FALSE(r.clean());
      for (const char* part : {"4", "[0,0]", "[0,3]"})
        EXPECT_TRUE(says(r, FindingKind::alias, part)) << part << "\n" << r;
    }
}

TEST(pitfall, last_spelled_asks_for_it) {
  for (const ptox::Target* t : {&at::cpu, &at::a5})
    for (std::uint64_t seed : {0u, 5u}) {
      Floats table(80);
      const Report r = duplicate_rows<ScatterConflict::Last>(*t, table, seed);
      EXPECT_TRUE(r.clean()) << r;
      EXPECT_EQ(table[32], 25.0f) << t->name;
      EXPECT_EQ(table[72], 33.0f) << t->name;
    }
  Floats table(80);
  EXPECT_TRUE(duplicate_rows<ScatterConflict::Last>(at::a2a3, table).has(FindingKind::illegal));
  EXPECT_TRUE(duplicate_rows<ScatterConflict::Default>(at::a2a3, table).has(FindingKind::illegal));
  EXPECT_EQ(table, Floats(80));
}

TEST(pitfall, default_leaves_the_order_to_the_machine_but_repeats) {
  for (const ptox::Target* t : {&at::cpu, &at::a5})
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      Floats table(80), again(80);
      EXPECT_TRUE(duplicate_rows<ScatterConflict::Default>(*t, table, seed).has(FindingKind::alias));
      EXPECT_TRUE(duplicate_rows<ScatterConflict::Default>(*t, again, seed).has(FindingKind::alias));
      EXPECT_EQ(table, again) << "seed " << seed;
      EXPECT_TRUE(table[32] == 1.0f || table[32] == 25.0f) << table[32];
      EXPECT_TRUE(t == &at::a5 || table[32] == 25.0f);
    }
}

TEST(pitfall, no_alias_for_atomics_or_for_lanes_that_write_nothing) {
  for (const ptox::Target* t : targets) {
    Floats table(80);
    EXPECT_TRUE(duplicate_rows<ScatterAtomicOp::Add>(*t, table).clean()) << t->name;
    const Report skipped =
        scatter_rows<ScatterOOB::Skip>(*t, flat(table.data(), 10, 8), 8, {10, 10, 3}, counting<float>(24));
    EXPECT_TRUE(skipped.clean()) << skipped;
  }
}

TEST(pitfall, two_indices_clamped_to_one_slot_are_an_alias) {
  for (const ptox::Target* t : targets) {
    Floats table(10);
    const Report r = scatter_elems<ScatterOOB::Clamp>(*t, flat(table.data(), 1, 10), {-1, 2, 10}, {5, 6, 7});
    EXPECT_TRUE(r.has(FindingKind::alias)) << r;
    EXPECT_EQ(table[9], 7.0f) << t->name;
  }
}

}  // namespace
