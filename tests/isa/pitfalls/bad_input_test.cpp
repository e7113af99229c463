// SPDX-License-Identifier: Apache-2.0
// Bad input is a finding that names it, and nothing is moved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

TEST(pitfall, a_null_table_is_a_finding_and_nothing_moves) {
  for (const ptox::Target* t : targets)
    for (Check check : {Check::off, Check::all}) {
      const auto got = gather_rows<>(*t, flat<float>(nullptr, 10, 8), 8, {0, 1}, check);
      EXPECT_TRUE(says(got.report, FindingKind::oob_gm, "table")) << got.report;
      EXPECT_TRUE(same_bytes(got.tile, Floats(64, untouched)));
      EXPECT_TRUE(says(scatter_rows<>(*t, flat<float>(nullptr, 10, 8), 8, {0, 1}, counting<float>(16)),
                       FindingKind::oob_gm, "table"));
    }
}

TEST(pitfall, a_null_tensor_of_a_load_store_or_prefetch_is_a_finding) {
  for (const ptox::Target* t : targets) {
    const auto run = [&](auto instruction) {
      return ptox::Device(*t).launch({}, [&] {
        Fixed<float, 8, 8> tile;
        auto g = flat<float>(nullptr, 8, 8);
        TEXPANDS(tile, 1.0f);
        pipe_barrier(PIPE_ALL);
        instruction(tile, g);
      });
    };
    EXPECT_TRUE(says(run([](auto& tile, auto& g) { TLOAD(tile, g); }), FindingKind::oob_gm, "src")) << t->name;
    EXPECT_TRUE(says(run([](auto& tile, auto& g) { TSTORE(g, tile); }), FindingKind::oob_gm, "dst")) << t->name;
    EXPECT_TRUE(says(run([](auto& tile, auto& g) { TPREFETCH(tile, g); }), FindingKind::oob_gm, "src")) << t->name;
  }
}

TEST(pitfall, a_tile_without_memory_is_a_finding_and_nothing_moves) {
  for (const ptox::Target* t : targets) {
    Floats table = counting<float>(80), before = table;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 8, 8> src;
      Open<std::int32_t, 1, 8> idx;
      auto g = flat(table.data(), 10, 8);
      TASSIGN(src, static_cast<int64_t>(t->ub_bytes));
      src.SetValidShape(2, 8);
      write(idx, {1, 2}, {0, 1}, 0);
      pipe_barrier(PIPE_ALL);
      MSCATTER<Coalesce::Row>(g, src, idx);
      EXPECT_EQ(src.GetValue(0, 0), 0.0f);
      EXPECT_EQ(src.data(), nullptr);
    });
    EXPECT_TRUE(r.has(FindingKind::ub_overflow)) << r;
    EXPECT_TRUE(same_bytes(table, before)) << t->name;
  }
}

TEST(pitfall, shapes_that_do_not_match_are_illegal_with_operand_and_values) {
  Floats table = counting<float>(256);
  const auto g = flat(table.data(), 16, 16);
  const Floats nothing(256, untouched);
  for (const ptox::Target* t : targets) {
    const auto elem =
        gather<Open<float, 16, 16>, Open<std::int32_t, 16, 16>, Coalesce::Elem>(*t, g, {8, 16}, {7, 16}, Indices(112));
    const auto row =
        gather<Open<float, 16, 16>, Open<std::int32_t, 16, 16>, Coalesce::Row>(*t, g, {8, 16}, {1, 9}, Indices(9));
    const auto wide = gather<Open<float, 16, 16>, Open<std::int32_t, 16, 16>, Coalesce::Row>(
        *t, flat(table.data(), 17, 15), {8, 16}, {1, 8}, Indices(8));
    EXPECT_TRUE(says(elem.report, FindingKind::illegal, "8x16") && says(elem.report, FindingKind::illegal, "7x16"))
        << elem.report;
    EXPECT_TRUE(says(row.report, FindingKind::illegal, "8x16") && says(row.report, FindingKind::illegal, "1x9"))
        << row.report;
    EXPECT_TRUE(says(wide.report, FindingKind::illegal, "16") && says(wide.report, FindingKind::illegal, "15"))
        << wide.report;
    for (const auto* each : {&elem, &row, &wide}) EXPECT_TRUE(same_bytes(each->tile, nothing)) << t->name;
  }
}

/// How many of ten instructions are refused when a tile has `bad` valid rows; none may write.
int64_t refused(const ptox::Target& t, int64_t bad, int64_t shown) {
  Floats table = counting<float>(64), before = table;
  const Report r = ptox::Device(t).launch({}, [&] {
    Open<float, 8, 8> tile(8, 8), other(8, 8);
    Open<std::int32_t, 8, 8> idx(8, 8);
    auto g = flat(table.data(), 8, 8);
    tile.SetValidRow(bad), idx.SetValidRow(bad);
    TLOAD(tile, g);
    TSTORE(g, tile);
    TMOV(tile, other);
    TEXPANDS(tile, 2.0f);
    TPREFETCH(tile, g);
    MGATHER<Coalesce::Elem>(tile, g, idx);
    MSCATTER<Coalesce::Elem>(g, tile, idx);
    TGATHER(tile, other, idx);
    TSCATTER(other, tile, idx);
    TGATHER<MaskPattern::P1111>(tile, other);
  });
  EXPECT_TRUE(same_bytes(table, before)) << t.name << " " << bad;
  return std::count_if(r.findings().begin(), r.findings().end(), [&](const ptox::Finding& f) {
    return f.kind == FindingKind::illegal && f.message.find(std::to_string(shown)) != std::string::npos;
  });
}

TEST(pitfall, valid_extents_of_zero_or_past_the_tile_are_illegal) {
  for (const ptox::Target* t : targets)
    for (int64_t bad : {int64_t{0}, int64_t{9}, int64_t{-1}, int64_t{-5}, INT64_MAX, int64_t{1} << 32})
      EXPECT_EQ(refused(*t, bad, std::min<int64_t>(bad, INT32_MAX)), 10) << t->name << " " << bad;
}

TEST(pitfall, the_smallest_valid_extent_of_all_is_illegal_too) {
  for (const ptox::Target* t : targets) EXPECT_EQ(refused(*t, INT64_MIN, INT32_MIN), 10) << t->name;
}

TEST(pitfall, two_instructions_of_one_line_are_two_findings) {
  Floats table(64);
  const Report r = ptox::Device(at::a5).launch({}, [&] {
    Open<float, 8, 8> tile(0, 8);
    auto g = flat(table.data(), 8, 8);
    TLOAD(tile, g), TSTORE(g, tile);  // both break their rule C4
  });
  EXPECT_EQ(r.findings().size(), 2u) << r;
}

template <class Table>
void bad_table(Table table, const std::string& named) {
  for (const ptox::Target* t : targets) {
    const auto got = gather_elems<GatherOOB::Wrap>(*t, table, {0, 1});
    const Report r = scatter_elems<ScatterOOB::Wrap>(*t, table, {0, 1}, {1, 2});
    EXPECT_TRUE(says(got.report, FindingKind::illegal, "table") && says(got.report, FindingKind::illegal, named))
        << t->name << got.report;
    EXPECT_TRUE(says(r, FindingKind::illegal, "table") && says(r, FindingKind::illegal, named)) << t->name << r;
    EXPECT_TRUE(same_bytes(got.tile, Floats(8, untouched))) << t->name;
  }
}

TEST(pitfall, a_size_past_63_bits_or_below_zero_is_illegal) {
  using Any = GlobalTensor<float, Shape<>, Stride<>>;
  Floats memory(64, 3.0f);
  float* p = memory.data();
  const int64_t large = int64_t{1} << 40;
  bad_table(flat(p, large, large), "1099511627776");
  bad_table(Any(p, {large, 1, large, 1, 8}, {1, 1, 1, 8, 1}), "1099511627776");
  bad_table(Any(p, {1, 1, 1, INT64_MAX, 1}, {1, 1, 1, 1, 1}), "9223372036854775807");
  bad_table(Any(p, {1, 1, 1, -3, 8}, {1, 1, 1, 8, 1}), "-3");
  bad_table(Any(p, {1, 1, 1, 3, 8}, {1, 1, 1, INT64_MAX / 2, 1}), "4611686018427387903");
  EXPECT_EQ(memory, Floats(64, 3.0f));
}

TEST(pitfall, the_smallest_extent_of_all_is_illegal_too) {
  using Any = GlobalTensor<float, Shape<>, Stride<>>;
  Floats memory(64, 3.0f);
  bad_table(Any(memory.data(), {1, 1, 1, INT64_MIN, 8}, {1, 1, 1, 8, 1}), "Shape");
  for (const ptox::Target* t : targets) {
    const auto rows = gather_rows<>(*t, Any(memory.data(), {1, 1, 1, 3, 8}, {1, 1, 1, INT64_MIN, 1}), 8, {2});
    EXPECT_TRUE(says(rows.report, FindingKind::illegal, "table")) << t->name << rows.report;
  }
  EXPECT_EQ(memory, Floats(64, 3.0f));
}

}  // namespace
