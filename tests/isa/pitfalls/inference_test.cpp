// SPDX-License-Identifier: Apache-2.0
// The Coalesce that is inferred where it is omitted.
#include <gtest/gtest.h>

#include <cstdint>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

/// MGATHER with extents in the types, Coalesce left out.
template <class Dst, class Idx>
Gathered<float> inferred(const ptox::Target& t, Flat<float> table, const Indices& idx) {
  Gathered<float> result;
  result.report = ptox::Device(t, {.check = Check::all}).launch({}, [&] {
    Dst dst;
    Idx indices;
    for (int64_t i = 0; i < Idx::Numel; ++i) indices.SetValue(i, 0);
    for (int64_t i = 0; i < Dst::Numel; ++i) dst.SetValue(i, 77.0f);
    for (int64_t i = 0; i < Idx::ValidRow * Idx::ValidCol; ++i)
      indices.SetValue(i / Idx::ValidCol, i % Idx::ValidCol, idx[i]);
    pipe_barrier(PIPE_ALL);
    MGATHER(dst, table, indices);
    result.tile = read(dst);
  });
  return result;
}

TEST(pitfall, coalesce_left_out_is_elem_for_an_index_of_the_tiles_shape) {
  Floats table = counting<float>(100);
  Indices idx(256);
  for (int i = 0; i < 256; ++i) idx[i] = i * 13 % 100;
  for (const ptox::Target* t : targets) {
    const auto got = inferred<Fixed<float, 16, 16>, Fixed<std::int32_t, 16, 16>>(*t, flat(table.data(), 1, 100), idx);
    EXPECT_TRUE(got.report.findings().empty()) << got.report;
    for (int i = 0; i < 256; ++i) ASSERT_EQ(got.tile[i], table[idx[i]]) << t->name;
  }
}

TEST(pitfall, coalesce_left_out_is_row_for_one_index_a_row) {
  Floats table = counting<float>(80);
  const Indices idx{9, 0, 3, 3, 7, 1, 2, 8};
  const auto rows_of = [&](const Gathered<float>& got) {
    EXPECT_TRUE(got.report.findings().empty()) << got.report;
    for (int i = 0; i < 64; ++i) ASSERT_EQ(got.tile[i], table[idx[i / 8] * 8 + i % 8]);
  };
  for (const ptox::Target* t : targets) {
    const auto g = flat(table.data(), 10, 8);
    rows_of(inferred<Fixed<float, 8, 8>, Fixed<std::int32_t, 1, 8>>(*t, g, idx));
    if (t == &at::a2a3) continue;
    rows_of(inferred<Fixed<float, 8, 8>, Fixed<std::int32_t, 8, 1>>(*t, g, idx));
    rows_of(inferred<Fixed<float, 8, 8>, Fixed<std::int32_t, 8, 1, CM>>(*t, g, idx));
  }
}

TEST(pitfall, coalesce_left_out_where_both_fit_is_row_with_a_note) {
  Floats table = counting<float>(80);
  const Indices idx{9, 0, 3, 3, 7, 1, 2, 8};
  using Dst = Fixed<float, 8, 8, RM, 8, 1>;
  const auto wide = inferred<Dst, Fixed<std::int32_t, 8, 8, RM, 8, 1>>(at::cpu, flat(table.data(), 10, 8), idx);
  for (int r = 0; r < 8; ++r) EXPECT_EQ(wide.tile[r * 8], table[idx[r] * 8]);
  EXPECT_TRUE(wide.report.clean()) << wide.report;
  ASSERT_EQ(wide.report.findings().size(), 1u) << wide.report;
  EXPECT_EQ(wide.report.findings()[0].severity, ptox::Severity::note);
  for (const ptox::Target* t : {&at::cpu, &at::a5}) {
    const auto narrow = inferred<Dst, Fixed<std::int32_t, 8, 1, CM>>(*t, flat(table.data(), 80, 1), idx);
    for (int r = 0; r < 8; ++r) EXPECT_EQ(narrow.tile[r * 8], table[idx[r]]) << t->name;
    EXPECT_TRUE(narrow.report.findings().empty()) << "row and elem agree on a table one element wide\n"
                                                  << narrow.report;
  }
}

TEST(pitfall, coalesce_left_out_where_neither_fits_names_both_shapes) {
  Floats table = counting<float>(256), before = table;
  for (const ptox::Target* t : targets) {
    const auto got = gather<Open<float, 16, 16>, Open<std::int32_t, 16, 16>>(*t, flat(table.data(), 16, 16), {8, 16},
                                                                             {4, 15}, Indices(60));
    const Report r = scatter<Open<float, 16, 16>, Open<std::int32_t, 16, 16>>(
        *t, flat(table.data(), 16, 16), {8, 16}, {4, 15}, Indices(60), counting<float>(128));
    for (const Report* each : {&got.report, &r}) {
      EXPECT_TRUE(says(*each, FindingKind::illegal, "8x16")) << *each;
      EXPECT_TRUE(says(*each, FindingKind::illegal, "4x15")) << *each;
    }
    EXPECT_TRUE(same_bytes(got.tile, Floats(256, untouched)));
    EXPECT_TRUE(same_bytes(table, before));
  }
}

}  // namespace
