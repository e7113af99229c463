// SPDX-License-Identifier: Apache-2.0
// The findings of a checked launch on the GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Check;
using ptox::Device;
using ptox::Finding;
using ptox::Report;

constexpr int rows = 8, width = 32;
using Rows = Tile<TileType::Vec, float, rows, width>;
using Index = Tile<TileType::Vec, int32_t, 1, rows>;
template <int n, int w, class T = float>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, n, w>, Stride<1, 1, 1, w, 1>>;

Device checked() { return Device(ptox::target::cuda, {.check = Check::all}); }

void expect_one(const Report& report, ptox::FindingKind kind, const std::string& message, std::int64_t count) {
  ASSERT_EQ(report.findings().size(), 1u) << report;
  const Finding& f = report.findings()[0];
  EXPECT_EQ(f.kind, kind);
  EXPECT_EQ(f.message.substr(0, message.size()), message);
  EXPECT_EQ(f.count, count);
  EXPECT_NE(f.file.find("checks_test.cu"), std::string::npos) << report;
}

template <auto... policies>
__global__ AICORE void scatter_rows(__gm__ float* table, __gm__ float* src, __gm__ int32_t* idx) {
  Matrix<100, width> table_gm(table);
  Matrix<rows, width> src_gm(src);
  Matrix<1, rows, int32_t> idx_gm(idx);
  Rows data;
  Index index;
  TLOAD(data, src_gm);
  TLOAD(index, idx_gm);
  MSCATTER<Coalesce::Row, policies...>(table_gm, data, index);
}

/// The table after a scatter with these indices, and its findings.
struct Scattered {
  Device dev;
  ptox::Buffer<float> table, src;
  ptox::Buffer<int32_t> idx;
  explicit Scattered(const std::vector<int32_t>& indices, Check check = Check::all)
      : dev(ptox::target::cuda, {.check = check}),
        table(dev.alloc<float>(100 * width)),
        src(dev.alloc<float>(rows * width)),
        idx(dev.alloc<int32_t>(rows)) {
    std::iota(src.begin(), src.end(), 1.0f);
    std::copy(indices.begin(), indices.end(), idx.begin());
  }
  template <auto... policies>
  Report run(int blocks = 1) {
    return dev.launch<scatter_rows<policies...>>({.blocks = blocks}, table.data(), src.data(), idx.data());
  }
};

TEST(checks_on_gpu, two_rows_of_one_slot_are_an_alias_and_the_last_wins) {
  Scattered s({5, 9, 6, 4, 9, 5, 9, 7});
  expect_one(s.run<>(), ptox::FindingKind::alias,
             "mscatter writes table row 9 twice; idx[0,1] = 9 and idx[0,4] = 9. Make the indices unique", 3);
  EXPECT_EQ(s.table[9 * width], s.src[6 * width]);
  EXPECT_EQ(s.table[5 * width], s.src[5 * width]);
}

TEST(checks_on_gpu, an_alias_of_many_blocks_counts_all_of_them) {
  Scattered s({5, 9, 6, 4, 9, 5, 9, 7});
  const Report report = s.run<>(7);
  ASSERT_EQ(report.findings().size(), 1u) << report;
  EXPECT_EQ(report.findings()[0].count, 21);
}

TEST(checks_on_gpu, conflicts_left_to_the_machine_are_an_alias_too) {
  Scattered s({1, 2, 3, 2, 5, 6, 7, 8});
  EXPECT_TRUE(s.run<ScatterConflict::Default>().has(ptox::FindingKind::alias));
}

TEST(checks_on_gpu, there_is_no_alias_where_last_is_asked_for_or_updates_are_atomic_or_dropped_or_unchecked) {
  const std::vector<int32_t> twice{1, 2, 3, 2, 5, 6, 7, 8};
  EXPECT_TRUE(Scattered(twice).run<ScatterConflict::Last>().clean());
  EXPECT_TRUE(Scattered(twice).run<ScatterAtomicOp::Add>().clean());
  EXPECT_TRUE(Scattered({1, 200, 3, 200, 5, 6, 7, 8}).run<ScatterOOB::Skip>().clean());
  EXPECT_TRUE(Scattered(twice, Check::off).run<>().clean());
}

TEST(checks_on_gpu, indices_that_a_policy_leads_to_one_slot_are_an_alias) {
  Scattered s({1, 2, 101, 3, 4, 5, 6, 7});
  expect_one(s.run<ScatterOOB::Wrap>(), ptox::FindingKind::alias,
             "mscatter writes table row 1 twice; idx[0,0] = 1 and idx[0,2] = 101. Make the indices unique", 1);
}

/// More elements than a block checks at once.
__global__ AICORE void scatter_elements(__gm__ float* table, __gm__ int32_t* idx) {
  Matrix<1, 8192> table_gm(table);
  Matrix<64, 64, int32_t> idx_gm(idx);
  Tile<TileType::Vec, float, 64, 64> data;
  Tile<TileType::Vec, int32_t, 64, 64> index;
  TEXPANDS(data, 1.0f);
  TLOAD(index, idx_gm);
  MSCATTER<Coalesce::Elem>(table_gm, data, index);
}

TEST(checks_on_gpu, the_first_two_of_thousands_of_elements_are_named) {
  Device dev = checked();
  auto table = dev.alloc<float>(8192);
  auto idx = dev.alloc<int32_t>(64 * 64);
  for (int i = 0; i < 64 * 64; ++i) idx[i] = i * 1021 % 8192;
  EXPECT_TRUE((dev.launch<scatter_elements>({}, table.data(), idx.data()).clean()));
  idx[4095] = idx[7], idx[3000] = idx[1], idx[3500] = idx[1];
  expect_one(dev.launch<scatter_elements>({}, table.data(), idx.data()), ptox::FindingKind::alias,
             "mscatter writes table element 1021 twice; idx[0,1] = 1021 and idx[46,56] = 1021. Make", 3);
}

/// Moves between tiles write in source order, so repeated indices are not reported.
__global__ AICORE void scatter_in_tile(__gm__ float* out) {
  Tile<TileType::Vec, float, 8, 8> dst, src;
  Tile<TileType::Vec, int32_t, 8, 8> index;
  Matrix<8, 8> out_gm(out);
  TEXPANDS(dst, 0.0f);
  TEXPANDS(src, 2.0f);
  TEXPANDS(index, 3);
  TSCATTER(dst, src, index);
  TSTORE(out_gm, dst);
}

TEST(checks_on_gpu, two_elements_of_one_place_in_a_tile_are_no_alias) {
  Device dev = checked();
  auto out = dev.alloc<float>(64);
  EXPECT_TRUE((dev.launch<scatter_in_tile>({}, out.data()).clean()));
  EXPECT_EQ(out[3], 2.0f);
}

/// A table of 64 rows that is declared with 128.
__global__ AICORE void gather_declared(__gm__ float* table, __gm__ int32_t* idx, __gm__ float* out) {
  Matrix<128, width> table_gm(table);
  Matrix<1, rows, int32_t> idx_gm(idx);
  Matrix<rows, width> out_gm(out);
  Rows dst;
  Index index;
  TEXPANDS(dst, -1.0f);
  TLOAD(index, idx_gm);
  MGATHER<Coalesce::Row>(dst, table_gm, index);
  TSTORE(out_gm, dst);
}

TEST(checks_on_gpu, a_gather_that_leaves_its_allocation_is_found_and_does_nothing) {
  Device dev = checked();
  auto table = dev.alloc<float>(64 * width), out = dev.alloc<float>(rows * width);
  auto idx = dev.alloc<int32_t>(rows);
  std::iota(table.begin(), table.end(), 0.0f);
  for (int i = 0; i < rows; ++i) idx[i] = i * 8;
  EXPECT_TRUE((dev.launch<gather_declared>({}, table.data(), idx.data(), out.data()).clean()));
  EXPECT_EQ(out[7 * width + 1], table[56 * width + 1]);
  idx[4] = 100, idx[6] = 64;
  expect_one(dev.launch<gather_declared>({}, table.data(), idx.data(), out.data()), ptox::FindingKind::oob_gm,
             "mgather touches bytes 12800 to 12927 of the allocation that holds table, which has 8192 bytes", 2);
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](float x) { return x == -1.0f; }));
}

/// Copies tiles from `in` to `out`. A suppressed instruction does not affect the following ones.
__global__ AICORE void copy_rounds(__gm__ float* in, __gm__ float* out, int32_t rounds) {
  for (int32_t i = 0; i < rounds; ++i) {
    Matrix<rows, width> in_gm(in + i * rows * width), out_gm(out + i * rows * width);
    Rows a;
    TEXPANDS(a, 5.0f);
    TPREFETCH(a, in_gm);
    TLOAD(a, in_gm);
    TSTORE(out_gm, a);
  }
}

TEST(checks_on_gpu, loads_stores_and_prefetches_past_the_end_are_found_and_do_nothing) {
  constexpr int tile = rows * width;
  Device dev = checked();
  auto in = dev.alloc<float>(10 * tile - width), out = dev.alloc<float>(10 * tile);  // one row too short
  std::iota(in.begin(), in.end(), 0.0f);
  const Report loads = dev.launch<copy_rounds>({}, in.data(), out.data(), 10);
  ASSERT_EQ(loads.findings().size(), 2u) << loads;
  const std::string bytes = " touches bytes 10112 to 10239 of the allocation that holds src, which has 10112 bytes";
  EXPECT_EQ(loads.findings()[0].message.substr(0, 9 + bytes.size()), "tprefetch" + bytes);
  EXPECT_EQ(loads.findings()[1].message.substr(0, 5 + bytes.size()), "tload" + bytes);
  for (int i = 0; i < 10 * tile; ++i) ASSERT_EQ(out[i], i < 9 * tile ? in[i] : 5.0f) << i;
  std::fill(out.begin(), out.end(), 0.0f);
  expect_one(dev.launch<copy_rounds>({}, out.data(), in.data(), 10), ptox::FindingKind::oob_gm,
             "tstore touches bytes 10112 to 10239 of the allocation that holds dst, which has 10112 bytes", 1);
  for (int i = 0; i < 10 * tile - width; ++i) ASSERT_EQ(in[i], i < 9 * tile ? 0.0f : static_cast<float>(i)) << i;
}

TEST(checks_on_gpu, memory_that_the_device_does_not_know_is_not_judged_until_it_is_adopted) {
  constexpr int tile = rows * width;
  Device dev = checked();
  float *in = nullptr, *out = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&in), 4 * tile * sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&out), 4 * tile * sizeof(float)), cudaSuccess);
  EXPECT_TRUE((dev.launch<copy_rounds>({}, in, out, 4).clean()));
  dev.adopt(out, 3 * tile);
  const Report report = dev.launch<copy_rounds>({}, in, out, 4);
  EXPECT_TRUE(report.clean()) << report;  // the fourth tile starts after the adopted memory, so it is not checked
  dev.forget(out), dev.adopt(out, 3 * tile + 1);
  expect_one(dev.launch<copy_rounds>({}, in, out, 4), ptox::FindingKind::oob_gm,
             "tstore touches bytes 3072 to 3199 of the allocation that holds dst, which has 3076 bytes", 8);
  dev.forget(out);
  cudaFree(in), cudaFree(out);
}

/// More allocations than at the previous launch, so that the device's list has to grow.
TEST(checks_on_gpu, allocations_that_come_and_go_are_known_at_each_launch) {
  Device dev = checked();
  auto in = dev.alloc<float>(rows * width), out = dev.alloc<float>(rows * width);
  std::vector<ptox::Buffer<float>> more;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 40; ++i) more.push_back(dev.alloc<float>(width));
    EXPECT_TRUE((dev.launch<copy_rounds>({}, in.data(), out.data(), 1).clean()));
    EXPECT_TRUE((dev.launch<copy_rounds>({}, in.data(), more.back().data(), 1).has(ptox::FindingKind::oob_gm)));
  }
  more.clear();
  EXPECT_TRUE((dev.launch<copy_rounds>({}, in.data(), out.data(), 1).clean()));
}

}  // namespace
