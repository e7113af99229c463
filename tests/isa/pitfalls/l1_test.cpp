// SPDX-License-Identifier: Apache-2.0
// A gather from global memory to L1 uses index and scratch as each target requires.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

using Mat = Open<half, 32, 32, CM, SLayout::RowMajor, TileType::Mat>;

/// The GM -> L1 form into a valid 20 x 24 region; every other element was `untouched`.
template <auto... P, class... Scratch>
Gathered<half> mat_gather(const ptox::Target& t, Flat<half> table, Flat<std::int32_t> idx, Scratch... scratch) {
  Gathered<half> result;
  result.report = ptox::Device(t, {.check = Check::all}).launch({}, [&] {
    Mat dst;
    write(dst, {20, 24}, {}, untouched);
    pipe_barrier(PIPE_ALL);
    MGATHER<P...>(dst, table, idx, scratch...);
    result.tile = read(dst);
  });
  return result;
}

std::vector<half> mat_rows(const std::vector<half>& table, const Indices& idx, int64_t capacity) {
  std::vector<half> want(32 * 32, as_number<half>(untouched));
  for (int r = 0; r < 20; ++r)
    for (int c = 0; c < 24; ++c)
      want[r * 32 + c] = static_cast<std::uint32_t>(idx[r]) < capacity ? table[idx[r] * 24 + c] : as_number<half>(0);
  return want;
}

TEST(pitfall, rows_go_to_l1_by_an_index_in_global_memory) {
  auto table = counting<half>(50 * 24), scratch = counting<half>(32 * 32);
  Indices idx(20);
  for (int r = 0; r < 20; ++r) idx[r] = r == 4 ? -1 : r * 7 % 53;
  const auto want = mat_rows(table, idx, 50);
  for (const ptox::Target* t : targets) {
    const auto g = flat(table.data(), 50, 24);
    const auto with =
        mat_gather<Coalesce::Row, GatherOOB::Zero>(*t, g, flat(idx.data(), 1, 20), flat(scratch.data(), 32, 32));
    const auto without = mat_gather<Coalesce::Row, GatherOOB::Zero>(*t, g, flat(idx.data(), 20, 1));
    EXPECT_TRUE(with.report.clean()) << with.report;
    EXPECT_TRUE(without.report.clean()) << without.report;
    EXPECT_TRUE(same_bytes(with.tile, want)) << t->name;
    EXPECT_TRUE(same_bytes(without.tile, want)) << t->name;
  }
}

TEST(pitfall, elements_go_to_l1_by_way_of_a_scratch) {
  auto table = counting<half>(50 * 24), scratch = counting<half>(32 * 32);
  Indices idx(20 * 24);
  for (int i = 0; i < 480; ++i) idx[i] = i * 37;
  std::vector<half> want(32 * 32, as_number<half>(untouched));
  for (int i = 0; i < 480; ++i) want[i / 24 * 32 + i % 24] = table[idx[i] % 1200];
  for (const ptox::Target* t : targets) {
    const auto got = mat_gather<Coalesce::Elem, GatherOOB::Wrap>(
        *t, flat(table.data(), 50, 24), flat(idx.data(), 20, 24), flat(scratch.data(), 32, 32));
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, want)) << t->name;
  }
}

TEST(pitfall, gather_exec_is_for_a5) {
  auto table = counting<half>(50 * 24), scratch = counting<half>(32 * 32);
  Indices idx(20, 49);
  const auto run = [&]<GatherExec exec>(const ptox::Target& t) {
    return mat_gather<Coalesce::Row, GatherOOB::Undefined, exec>(t, flat(table.data(), 50, 24), flat(idx.data(), 1, 20),
                                                                 flat(scratch.data(), 32, 32));
  };
  for (const ptox::Target* t : targets) {
    const auto scalar = run.operator()<GatherExec::Scalar>(*t), simt = run.operator()<GatherExec::Simt>(*t);
    EXPECT_EQ(scalar.report.has(FindingKind::illegal), t == &at::a2a3) << scalar.report;
    EXPECT_EQ(simt.report.has(FindingKind::illegal), t == &at::a2a3) << simt.report;
    EXPECT_TRUE(t == &at::a2a3 || same_bytes(simt.tile, mat_rows(table, idx, 50)));
  }
}

TEST(pitfall, a_scratch_smaller_than_the_tile_or_null_operands_move_nothing) {
  auto table = counting<half>(50 * 24), scratch = counting<half>(32 * 32);
  Indices idx(20 * 24);
  const std::vector<half> nothing(32 * 32, as_number<half>(untouched));
  for (const ptox::Target* t : targets) {
    const auto g = flat(table.data(), 50, 24);
    const auto i = flat(idx.data(), 20, 24);
    const auto small = mat_gather<Coalesce::Elem>(*t, g, i, flat(scratch.data(), 32, 31));
    const auto no_scratch = mat_gather<Coalesce::Elem>(*t, g, i, flat<half>(nullptr, 32, 32));
    const auto no_index =
        mat_gather<Coalesce::Elem>(*t, g, flat<std::int32_t>(nullptr, 20, 24), flat(scratch.data(), 32, 32));
    EXPECT_TRUE(says(small.report, FindingKind::illegal, "scratch")) << small.report;
    EXPECT_TRUE(says(no_scratch.report, FindingKind::oob_gm, "scratch")) << no_scratch.report;
    EXPECT_TRUE(says(no_index.report, FindingKind::oob_gm, "idx")) << no_index.report;
    for (const auto* each : {&small, &no_scratch, &no_index}) EXPECT_TRUE(same_bytes(each->tile, nothing)) << t->name;
  }
}

/// Loads `rows` x `cols` into a Mat tile of that layout and moves them to a RowMajor Vec tile of another valid region.
template <class T, BLayout B, SLayout S>
void expect_moved_from_l1(std::int64_t rows, std::int64_t cols, std::int64_t to_rows, std::int64_t to_cols) {
  using Mat = Open<T, 48, 64, B, S, TileType::Mat>;
  auto table = counting<T>(48 * 64);
  const ptox::Report r = ptox::Device(at::cpu, {.check = Check::all}).launch({}, [&] {
    Mat src(rows, cols);
    Open<T, 48, 96> dst;
    write(dst, {48, 96}, {}, untouched);
    dst.SetValidShape(to_rows, to_cols);
    TASSIGN(src, 0x1000);
    auto gm = flat(table.data(), rows, cols);
    TLOAD(src, gm);
    TMOV(dst, src);
    std::vector<T> want(48 * 96, as_number<T>(untouched));
    for (std::int64_t i = 0; i < std::min(rows, to_rows); ++i)
      for (std::int64_t j = 0; j < std::min(cols, to_cols); ++j)
        want[static_cast<std::size_t>(i * 96 + j)] = table[static_cast<std::size_t>(i * cols + j)];
    dst.SetValidShape(48, 96);
    EXPECT_TRUE(same_bytes(read(dst), want)) << rows << "x" << cols << " to " << to_rows << "x" << to_cols;
  });
  EXPECT_TRUE(r.clean()) << r;
}

TEST(pitfall, on_cpu_tmov_takes_what_lies_in_l1_to_a_vec_tile) {
  const std::int64_t extents[][4] = {
      {48, 64, 48, 64}, {1, 1, 1, 1}, {17, 33, 48, 96}, {48, 64, 5, 7}, {31, 50, 32, 49}};
  for (const auto& [rows, cols, to_rows, to_cols] : extents) {
    expect_moved_from_l1<half, CM, SLayout::RowMajor>(rows, cols, to_rows, to_cols);
    expect_moved_from_l1<std::int8_t, CM, SLayout::RowMajor>(rows, cols, to_rows, to_cols);
    expect_moved_from_l1<float, CM, SLayout::RowMajor>(rows, cols, to_rows, to_cols);
    expect_moved_from_l1<std::uint16_t, RM, SLayout::NoneBox>(rows, cols, to_rows, to_cols);
  }
}

}  // namespace
