// SPDX-License-Identifier: Apache-2.0
// Indices at or beyond a boundary select what their policy says, signed or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

template <class I>
std::vector<I> boundaries(int64_t capacity) {
  std::vector<I> v;
  for (int64_t i : {int64_t{0}, capacity - 1, capacity, capacity + 1, int64_t{-1}, int64_t{INT32_MIN},
                    int64_t{INT32_MAX}, capacity / 2})
    v.push_back(static_cast<I>(i));
  return v;
}

/// The findings that indices at the boundaries call for.
template <class I>
void expect_findings(const Report& r, int64_t capacity, bool undefined) {
  const auto all = boundaries<I>(capacity);
  const bool outside =
      std::any_of(all.begin(), all.end(), [&](I i) { return static_cast<std::uint32_t>(i) >= capacity; });
  EXPECT_EQ(r.has(FindingKind::oob_index), undefined && outside) << r;
  EXPECT_EQ(r.has(FindingKind::negative_index), std::is_signed_v<I>) << r;
}

template <GatherOOB mode, class I>
void gather_boundaries(const ptox::Target& t, Floats& table, int64_t capacity) {
  const auto idx = boundaries<I>(capacity);
  Floats rows(64), elems(64, untouched);
  for (int i = 0; i < 8; ++i) {
    const int64_t from = slot(static_cast<std::uint32_t>(idx[i]), capacity, mode);
    for (int c = 0; c < 8; ++c) rows[i * 8 + c] = from < 0 ? 0.0f : table[from * 8 + c];
    elems[i] = from < 0 ? 0.0f : table[from];
  }
  const auto row = gather<Open<float, 8, 8>, Open<I, 1, 8>, Coalesce::Row, mode>(t, flat(table.data(), capacity, 8),
                                                                                 {8, 8}, {1, 8}, idx);
  const auto elem = gather<Open<float, 8, 8>, Open<I, 1, 8>, Coalesce::Elem, mode>(t, flat(table.data(), 1, capacity),
                                                                                   {1, 8}, {1, 8}, idx);
  EXPECT_TRUE(same_bytes(row.tile, rows)) << t.name << " row " << capacity << " " << name(mode);
  EXPECT_TRUE(same_bytes(elem.tile, elems)) << t.name << " elem " << capacity << " " << name(mode);
  expect_findings<I>(row.report, capacity, mode == GatherOOB::Undefined);
  expect_findings<I>(elem.report, capacity, mode == GatherOOB::Undefined);
}

template <ScatterOOB mode, class I>
void scatter_boundaries(const ptox::Target& t, int64_t capacity) {
  const auto idx = boundaries<I>(capacity);
  const auto values = counting<float>(64);
  Floats rows(capacity * 8, 5.0f), elems(capacity, 5.0f), want_rows = rows, want_elems = elems;
  for (int i = 0; i < 8; ++i) {
    const int64_t to = slot(static_cast<std::uint32_t>(idx[i]), capacity, mode);
    if (to < 0) continue;
    for (int c = 0; c < 8; ++c) want_rows[to * 8 + c] = values[i * 8 + c];
    want_elems[to] = values[i];
  }
  const Report row = scatter<Open<float, 8, 8>, Open<I, 1, 8>, Coalesce::Row, mode>(t, flat(rows.data(), capacity, 8),
                                                                                    {8, 8}, {1, 8}, idx, values);
  const Report elem = scatter<Open<float, 8, 8>, Open<I, 1, 8>, Coalesce::Elem, mode>(
      t, flat(elems.data(), 1, capacity), {1, 8}, {1, 8}, idx, {values.begin(), values.begin() + 8});
  EXPECT_TRUE(same_bytes(rows, want_rows)) << t.name << " row " << capacity << " " << name(mode);
  EXPECT_TRUE(same_bytes(elems, want_elems)) << t.name << " elem " << capacity << " " << name(mode);
  expect_findings<I>(row, capacity, mode == ScatterOOB::Undefined);
  expect_findings<I>(elem, capacity, mode == ScatterOOB::Undefined);
}

template <class I>
void all_boundaries(const ptox::Target& t, int64_t capacity) {
  Floats table = counting<float>(capacity * 8);
  gather_boundaries<GatherOOB::Undefined, I>(t, table, capacity);
  gather_boundaries<GatherOOB::Clamp, I>(t, table, capacity);
  gather_boundaries<GatherOOB::Wrap, I>(t, table, capacity);
  gather_boundaries<GatherOOB::Zero, I>(t, table, capacity);
  scatter_boundaries<ScatterOOB::Undefined, I>(t, capacity);
  scatter_boundaries<ScatterOOB::Skip, I>(t, capacity);
  scatter_boundaries<ScatterOOB::Clamp, I>(t, capacity);
  scatter_boundaries<ScatterOOB::Wrap, I>(t, capacity);
}

TEST(pitfall, indices_at_the_boundaries_follow_every_policy) {
  for (const ptox::Target* t : targets)
    for (int64_t capacity : {1, 7, 100, 50257}) {
      all_boundaries<std::int32_t>(*t, capacity);
      all_boundaries<std::uint32_t>(*t, capacity);
    }
}

TEST(pitfall, wrap_of_a_negative_index_is_unsigned_for_any_capacity) {
  struct Known {
    std::int32_t index;
    int64_t of_7, of_100, of_50257;
  };
  for (const Known& k : {Known{-1, 3, 95, 4075}, Known{INT32_MIN, 2, 48, 2038}, Known{INT32_MAX, 1, 47, 2037},
                         Known{-7, 4, 89, 4069}, Known{-100, 2, 96, 3976}})
    for (const auto& [capacity, want] : {std::pair{7, k.of_7}, {100, k.of_100}, {50257, k.of_50257}})
      for (const ptox::Target* t : targets) {
        Indices table(capacity);
        for (int i = 0; i < capacity; ++i) table[i] = i;
        const auto got = gather<Open<std::int32_t, 1, 8>, Open<std::int32_t, 1, 8>, Coalesce::Elem, GatherOOB::Wrap>(
            *t, flat(table.data(), 1, capacity), {1, 1}, {1, 1}, {k.index});
        EXPECT_EQ(got.tile[0], want) << t->name << " " << k.index << " % " << capacity;
      }
}

TEST(pitfall, wrap_of_a_negative_index_is_told_for_both_widths) {
  Floats table(7 * 8);
  const auto said = [&](int64_t rows) {
    const auto got = gather<Open<float, 8, 8>, Open<int32_t, 1, 8>, Coalesce::Row, GatherOOB::Wrap>(
        at::a5, flat(table.data(), rows, 8), {1, 8}, {1, 1}, std::vector<int32_t>{-1});
    return message(got.report, FindingKind::negative_index);
  };
  EXPECT_EQ(said(7),
            "mgather reads a negative index as 4294967295; idx[0,0] = -1. Wrap makes it 3; of 64-bit indices it would "
            "be 1");
  EXPECT_EQ(said(4), "mgather reads a negative index as 4294967295; idx[0,0] = -1. Wrap makes it 3");
}

}  // namespace
