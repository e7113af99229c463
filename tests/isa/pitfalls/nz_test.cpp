// SPDX-License-Identifier: Apache-2.0
// NZ tables are traversed by blocks, as on the machine.
#include <gtest/gtest.h>

#include <cstdint>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

template <class T, int R, int C>
using Nz = Open<T, R, C, CM, SLayout::RowMajor>;
using NzTable =
    GlobalTensor<float, Shape<2, 2, 3, 16, 8>, Stride<1600, 800, 128, 8, 1>, Layout::NZ>;  // gaps between columns
int64_t nz_offset(int64_t r, int64_t c) {
  return c / 8 / 2 * 1600 + c / 8 % 2 * 800 + r / 16 * 128 + r % 16 * 8 + c % 8;
}

template <GatherOOB mode>
void nz_rows(const ptox::Target& t) {
  const bool whole = &t == &at::a2a3;
  Floats memory = counting<float>(3200);
  const Indices idx{3, 47, 48, 0, -1};
  Floats want(16 * 32, whole && mode == GatherOOB::Zero ? 0.0f : 77.0f);
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < (whole ? 32 : 10); ++c) {
      const int64_t from = slot(static_cast<std::uint32_t>(idx[r]), 48, mode);
      want[r * 32 + c] = from < 0 ? 0.0f : memory[nz_offset(from, c)];
    }
  const auto got = gather<Nz<float, 16, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row, mode>(t, NzTable(memory.data()),
                                                                                            {5, 10}, {1, 5}, idx);
  EXPECT_EQ(got.report.clean(), mode != GatherOOB::Undefined) << got.report;
  EXPECT_TRUE(same_bytes(got.tile, want)) << t.name << " " << name(mode);
}

TEST(pitfall, nz_rows_are_gathered_by_blocks_and_whole_on_a2a3) {
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
    nz_rows<GatherOOB::Clamp>(*t);
    nz_rows<GatherOOB::Wrap>(*t);
    nz_rows<GatherOOB::Zero>(*t);
  }
}

TEST(pitfall, nz_elements_are_gathered_by_logical_row_and_column) {
  Floats memory = counting<float>(3200), want(16 * 32, untouched);
  Indices idx(50);
  for (int i = 0; i < 50; ++i) idx[i] = i * 31 + (i == 49 ? 17 : 0);  // the last is 1536, one past the table
  for (int i = 0; i < 50; ++i)
    want[i / 10 * 32 + i % 10] = idx[i] < 1536 ? memory[nz_offset(idx[i] / 32, idx[i] % 32)] : 0.0f;
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
    const auto got = gather<Nz<float, 16, 32>, Open<std::int32_t, 8, 16>, Coalesce::Elem, GatherOOB::Zero>(
        *t, NzTable(memory.data()), {5, 10}, {5, 10}, idx);
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, want)) << t->name;
  }
}

TEST(pitfall, nz_rows_are_scattered_by_blocks_and_whole_on_a2a3) {
  const Indices idx{40, 0, 48, 17};
  const auto values = counting<float>(40);
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
    Floats memory = counting<float>(3200), want = memory;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; idx[r] < 48 && c < (t == &at::a2a3 ? 32 : 10); ++c)
        want[nz_offset(idx[r], c)] = c < 10 ? values[r * 10 + c] : garbage;
    const Report r = scatter<Nz<float, 16, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row, ScatterOOB::Skip>(
        *t, NzTable(memory.data()), {4, 10}, {1, 4}, idx, values);
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(memory, want)) << t->name;
  }
}

TEST(pitfall, the_last_nz_element_follows_the_machines_walk) {
  Indices idx(50);
  for (int i = 0; i < 50; ++i) idx[i] = i * 3;
  idx[9] = idx[40] = 1000;  // (0, 9) lies in block column 1, (4, 0) in block column 0
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
    Floats memory(3200);
    const Report r = scatter<Nz<float, 16, 32>, Open<std::int32_t, 8, 16>, Coalesce::Elem>(
        *t, NzTable(memory.data()), {5, 10}, {5, 10}, idx, counting<float>(50));
    EXPECT_EQ(memory[nz_offset(1000 / 32, 1000 % 32)], t == &at::a2a3 ? 10.0f : 41.0f) << t->name;
    EXPECT_EQ(memory[nz_offset(idx[11] / 32, idx[11] % 32)], 12.0f);
    for (const char* part : {"1000", "[0,9]", "[4,0]"})
      EXPECT_TRUE(says(r, FindingKind::alias, part)) << part << "\n" << r;
  }
}

TEST(pitfall, nz_is_not_for_a5) {
  Floats memory = counting<float>(3200), before = memory;
  const auto got = gather<Nz<float, 16, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row>(at::a5, NzTable(memory.data()),
                                                                                      {2, 32}, {1, 2}, {0, 1});
  const Report r = scatter<Nz<float, 16, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row>(
      at::a5, NzTable(memory.data()), {2, 32}, {1, 2}, {0, 1}, counting<float>(64));
  EXPECT_TRUE(got.report.has(FindingKind::illegal)) << got.report;
  EXPECT_TRUE(r.has(FindingKind::illegal)) << r;
  EXPECT_TRUE(same_bytes(memory, before));
}

TEST(pitfall, an_nz_row_wider_than_its_tile_ends_past_ub) {
  Floats memory = counting<float>(3200);
  const Report r = ptox::Device(at::a2a3).launch({}, [&] {
    Nz<float, 16, 8> dst;
    Open<std::int32_t, 1, 8> idx;
    NzTable table(memory.data());
    TASSIGN(dst, 192 * 1024 - 512);
    TASSIGN(idx, 0);
    write(dst, {2, 8}, {}, untouched);
    write(idx, {1, 2}, {0, 1}, 0);
    pipe_barrier(PIPE_ALL);
    MGATHER<Coalesce::Row>(dst, table, idx);
  });
  EXPECT_TRUE(r.has(FindingKind::ub_overflow)) << r;
}

}  // namespace
