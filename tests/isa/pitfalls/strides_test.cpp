// SPDX-License-Identifier: Apache-2.0
// Rows of tables and tiles with gaps, padding and other layouts are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

using Gapped = GlobalTensor<float, Shape<2, 3, 2, 4, 5>, Stride<900, 290, 90, 20, 3>>;
int64_t gapped_offset(int64_t row, int64_t c) {
  return row / 24 * 900 + row / 8 % 3 * 290 + row / 4 % 2 * 90 + row % 4 * 20 + c * 3;
}

TEST(pitfall, strides_are_honoured_on_cpu) {
  Floats memory = counting<float>(2000), want_memory = memory, want(64, untouched);
  const Indices idx{0, 47, 5, 9, 24, 31, 16, 3};
  const auto values = counting<float>(40, 200);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 5; ++c) want[r * 8 + c] = memory[gapped_offset(idx[r], c)];
  const auto got = gather_rows<>(at::cpu, Gapped(memory.data()), 5, idx);
  EXPECT_TRUE(same_bytes(got.tile, want)) << got.report;
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 5; ++c) want_memory[gapped_offset(idx[r], c)] = values[r * 5 + c];
  const Report r = scatter_rows<>(at::cpu, Gapped(memory.data()), 5, idx, values);
  EXPECT_TRUE(r.clean()) << r;
  EXPECT_TRUE(same_bytes(memory, want_memory));
}

TEST(pitfall, a2a3_rows_lie_stride_3_apart_and_are_contiguous) {
  using Table = GlobalTensor<float, Shape<1, 1, 2, 4, 5>, Stride<1, 1, 200, 20, 1>>;
  Floats memory = counting<float>(400), want(64, untouched);
  const Indices idx{0, 7, 4, 3, 8, 9, 1, 2};
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 5; ++c) want[r * 8 + c] = memory[std::min(idx[r], 7) * 20 + c];
  const auto got = gather_rows<GatherOOB::Clamp>(at::a2a3, Table(memory.data()), 5, idx);
  EXPECT_TRUE(got.report.clean()) << got.report;
  EXPECT_TRUE(same_bytes(got.tile, want));
}

TEST(pitfall, a_stride_that_a5_would_ignore_is_illegal_there) {
  using Table = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<1, 1, 1, 16, 1>>;
  Floats memory = counting<float>(64);
  const auto got = gather_rows<>(at::a5, Table(memory.data()), 8, {0, 1});
  EXPECT_TRUE(says(got.report, FindingKind::illegal, "16")) << got.report;
  EXPECT_TRUE(same_bytes(got.tile, Floats(64, untouched)));
}

TEST(pitfall, elements_are_flat_whatever_the_strides) {
  using Table = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<1, 1, 1, 16, 2>>;
  Floats memory = counting<float>(64);
  for (const ptox::Target* t : targets) {
    const auto got = gather_elems<GatherOOB::Zero>(*t, Table(memory.data()), {0, 9, 31, 32});
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, {memory[0], memory[9], memory[31], 0, 77, 77, 77, 77})) << t->name;
  }
}

TEST(pitfall, a_padded_column_of_indices_is_read_by_row_and_column) {
  Floats memory = counting<float>(64);
  const Indices idx{7, 1, 6, 2, 5, 3, 4, 0};
  Floats want(64);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c) want[r * 8 + c] = memory[idx[r] * 8 + c];
  const auto run = [&]<class Idx>(const ptox::Target& t, bool legal) {
    const auto got = gather<Open<float, 8, 8>, Idx, Coalesce::Row>(t, flat(memory.data(), 8, 8), {8, 8}, {8, 1}, idx);
    EXPECT_EQ(got.report.has(FindingKind::illegal), !legal) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, legal ? want : Floats(64, untouched))) << t.name;
  };
  for (const ptox::Target* t : targets) {
    run.operator()<Open<std::int32_t, 8, 8>>(*t, t == &at::cpu);       // padded to eight columns
    run.operator()<Open<std::int32_t, 8, 1>>(*t, t != &at::a2a3);      // one padded column
    run.operator()<Open<std::int32_t, 8, 4, CM>>(*t, t != &at::a2a3);  // ColMajor, padded
  }
}

TEST(pitfall, an_elem_index_of_another_layout_is_read_by_row_and_column) {
  Floats memory = counting<float>(64);
  const Indices idx{1, 2, 3, 10, 20, 30};
  for (const ptox::Target* t : {&at::cpu, &at::a5}) {
    const auto got = gather<Open<float, 8, 8>, Open<std::int32_t, 8, 5, CM>, Coalesce::Elem>(
        *t, flat(memory.data(), 8, 8), {2, 3}, {2, 3}, idx);
    EXPECT_TRUE(got.report.clean()) << got.report;
    for (int i = 0; i < 6; ++i) EXPECT_EQ(got.tile[i / 3 * 8 + i % 3], memory[idx[i]]) << t->name;
  }
}

TEST(pitfall, a_col_major_tile_is_addressed_by_columns) {
  Floats memory = counting<float>(5 * 5), want(16 * 6, untouched);
  const Indices idx{4, 0, 2};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 5; ++c) want[r * 6 + c] = memory[idx[r] * 5 + c];
  for (const ptox::Target* t : targets) {
    const auto got = gather<Open<float, 16, 6, CM>, Open<std::int32_t, 1, 8>, Coalesce::Row>(
        *t, flat(memory.data(), 5, 5), {3, 5}, {1, 3}, idx);
    const bool legal = t != &at::a2a3;
    EXPECT_EQ(got.report.has(FindingKind::illegal), !legal) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, legal ? want : Floats(16 * 6, untouched))) << t->name;
  }
}

TEST(pitfall, a_padded_source_is_not_read_past_its_valid_columns) {
  const Indices idx{6, 0, 3};
  const auto values = counting<float>(15, 30);
  for (const ptox::Target* t : targets) {
    Floats table = counting<float>(7 * 5), want = table;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 5; ++c) want[idx[r] * 5 + c] = values[r * 5 + c];
    const Report r = scatter_rows<>(*t, flat(table.data(), 7, 5), 5, idx, values);
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(table, want)) << t->name;
  }
}

}  // namespace
