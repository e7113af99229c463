// SPDX-License-Identifier: Apache-2.0
// Kernels in the style of user code run on the GPU.
#include <gtest/gtest.h>

#include <numeric>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Device;
using ptox::Report;

constexpr int rows = 64, width = 32;
using Row = Tile<TileType::Vec, float, rows, width>;
using Index = Tile<TileType::Vec, int32_t, 1, rows>;
template <int n, int w, class T = float>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, n, w>, Stride<1, 1, 1, w, 1>>;

/// out[i, :] = table[idx[i], :]. Tiles are local to an iteration, and events order loads and stores.
__global__ AICORE void lookup(__gm__ float* table, __gm__ int32_t* idx, __gm__ float* out, int32_t chunks) {
  Matrix<1000, width> table_gm(table);
  for (int32_t chunk = get_block_idx(); chunk < chunks; chunk += get_block_num()) {
    Matrix<1, rows, int32_t> idx_gm(idx + chunk * rows);
    Matrix<rows, width> out_gm(out + chunk * rows * width);
    Row dst;
    Index index;
    Event<Op::TLOAD, Op::MGATHER> loaded = TLOAD(index, idx_gm);
    Event<Op::MGATHER, Op::TSTORE_VEC> gathered = MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, table_gm, index, loaded);
    TSTORE(out_gm, dst, gathered);
  }
}

TEST(kernels_on_gpu, a_lookup_gathers_rows_again_and_again) {
  constexpr int chunks = 37, tokens = chunks * rows;
  Device dev(ptox::target::cuda);
  auto table = dev.alloc<float>(1000 * width), out = dev.alloc<float>(tokens * width);
  auto idx = dev.alloc<int32_t>(tokens);
  std::iota(table.begin(), table.end(), 0.0f);
  for (int i = 0; i < tokens; ++i) idx[i] = i * 7919 % 1010;
  for (int round = 0; round < 4; ++round) {  // the first launch gets all of UB, the others what it used
    std::fill(out.begin(), out.end(), -1.0f);
    const Report report = dev.launch<lookup>({.blocks = 5}, table.data(), idx.data(), out.data(), chunks);
    EXPECT_TRUE(report.clean()) << report;
    EXPECT_EQ(report.ub_map().used, rows * width * 4 + rows * 4);
    for (int i = 0; i < tokens * width; ++i)
      ASSERT_EQ(out[i], idx[i / width] < 1000 ? table[idx[i / width] * width + i % width] : 0.0f) << i;
  }
}

/// table[idx[i], :] += 1 in every block.
__global__ AICORE void accumulate(__gm__ float* table, __gm__ int32_t* idx) {
  Matrix<1000, width> table_gm(table);
  Matrix<1, rows, int32_t> idx_gm(idx);
  Row src;
  Index index;
  TEXPANDS(src, 1.0f);
  TLOAD(index, idx_gm);
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(table_gm, src, index);
}

TEST(kernels_on_gpu, sums_of_many_blocks_lose_nothing) {
  Device dev(ptox::target::cuda);
  auto table = dev.alloc<float>(1000 * width);
  auto idx = dev.alloc<int32_t>(rows);
  for (int i = 0; i < rows; ++i) idx[i] = i % 5 ? i : 3;
  EXPECT_TRUE((dev.launch<accumulate>({.blocks = 300}, table.data(), idx.data()).clean()));
  float sum = 0;
  for (const float x : table) sum += x;
  EXPECT_EQ(sum, 300.0f * rows * width);
  EXPECT_EQ(table[3 * width], 300.0f * 14);
}

/// Scalar reads and writes of tiles; one tile has a hand-written address.
__global__ AICORE void scalar(__gm__ int32_t* out) {
  Tile<TileType::Vec, int32_t, 1, 8> a, b;
  TASSIGN(b, 0x400);
  TEXPANDS(a, 5);
  TEXPANDS(b, 1);
  for (int i = 0; i < 8; ++i) b.SetValue(0, i, b.GetValue(0, i) + a.GetValue(0, i) * i);
  Matrix<1, 8, int32_t> out_gm(out);
  TSTORE(out_gm, b);
}

TEST(kernels_on_gpu, single_elements_are_read_and_written_once) {
  Device dev(ptox::target::cuda);
  auto out = dev.alloc<int32_t>(8);
  EXPECT_TRUE((dev.launch<scalar>({}, out.data()).clean()));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], 1 + 5 * i);
}

/// Rows whose element offset exceeds 2^32.
__global__ AICORE void far_rows(__gm__ uint8_t* table, __gm__ uint32_t* idx, __gm__ uint8_t* out, int64_t table_rows) {
  GlobalTensor<uint8_t, Shape<1, 1, 1, -1, 64>, Stride<1, 1, 1, 64, 1>> table_gm(table, {table_rows});
  Tile<TileType::Vec, uint8_t, 8, 64> dst;
  Tile<TileType::Vec, uint32_t, 1, 8> index;
  Matrix<1, 8, uint32_t> idx_gm(idx);
  Matrix<8, 64, uint8_t> out_gm(out);
  TLOAD(index, idx_gm);
  MGATHER<Coalesce::Row>(dst, table_gm, index);
  TSTORE(out_gm, dst);
}

TEST(kernels_on_gpu, tables_of_more_than_2_32_elements) {
  constexpr int64_t table_rows = (int64_t{1} << 26) + 100;
  Device dev(ptox::target::cuda);
  auto table = dev.alloc<uint8_t>(table_rows * 64), out = dev.alloc<uint8_t>(8 * 64);
  auto idx = dev.alloc<uint32_t>(8);
  for (int i = 0; i < 8; ++i) {
    idx[i] = static_cast<uint32_t>(table_rows - 1 - i * 9);
    for (int c = 0; c < 64; ++c) table[int64_t{idx[i]} * 64 + c] = static_cast<uint8_t>(i * 31 + c);
  }
  EXPECT_TRUE((dev.launch<far_rows>({}, table.data(), idx.data(), out.data(), table_rows).clean()));
  for (int i = 0; i < 8 * 64; ++i) ASSERT_EQ(out[i], static_cast<uint8_t>(i / 64 * 31 + i % 64));
}

/// Dynamic extents of tiles and tensors, and an atomic store by blocks that share their output.
__global__ AICORE void open_extents(__gm__ half* table, __gm__ int32_t* idx, __gm__ half* out, int32_t n,
                                    int32_t cols) {
  GlobalTensor<half, Shape<1, 1, 1, -1, -1>, Stride<-1, -1, -1, -1, 1>> table_gm(table, {50, cols}, {1, 1, 1, cols});
  GlobalTensor<half, Shape<1, 1, 1, -1, -1>, Stride<-1, -1, -1, -1, 1>> out_gm(out, {n, cols}, {1, 1, 1, cols});
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, 64, 1>> idx_gm(idx, {n});
  Tile<TileType::Vec, half, 64, 128, BLayout::RowMajor, -1, -1> rows_of_table(n, cols), copy(n, cols);
  Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, -1> index(n);
  TPREFETCH(copy, out_gm);
  TLOAD(index, idx_gm);
  MGATHER<GatherOOB::Wrap>(rows_of_table, table_gm, index);
  TMOV(copy, rows_of_table);
  TSTORE<AtomicType::AtomicAdd>(out_gm, copy);
}

TEST(kernels_on_gpu, extents_that_only_the_run_knows) {
  Device dev(ptox::target::cuda);
  for (const int cols : {1, 7, 16, 120})
    for (const int n : {1, 33, 64}) {
      auto table = dev.alloc<half>(50 * cols), out = dev.alloc<half>(n * cols);
      auto idx = dev.alloc<int32_t>(64);
      for (int i = 0; i < 50 * cols; ++i) table[i] = half(static_cast<float>(i % 97));
      for (int i = 0; i < 64; ++i) idx[i] = i * 31;
      const Report report = dev.launch<open_extents>({.blocks = 4}, table.data(), idx.data(), out.data(), n, cols);
      EXPECT_TRUE(report.clean()) << report;
      for (int i = 0; i < n * cols; ++i) {
        const int row = idx[i / cols] % 50;
        ASSERT_EQ(static_cast<float>(out[i]), 4 * static_cast<float>(table[row * cols + i % cols])) << n << "x" << cols;
      }
    }
}

TEST(kernels_on_gpu, open_extents_that_break_a_rule_are_found) {
  Device dev(ptox::target::cuda);
  auto table = dev.alloc<half>(50 * 16), out = dev.alloc<half>(64 * 16);
  auto idx = dev.alloc<int32_t>(64);
  const Report report = dev.launch<open_extents>({}, table.data(), idx.data(), out.data(), 0, 16);
  EXPECT_TRUE(report.has(ptox::FindingKind::illegal)) << report;
}

/// Needs more UB than any GPU has.
__global__ AICORE void too_large(__gm__ float* out) {
  Tile<TileType::Vec, float, 1024, 64> a;
  Tile<TileType::Vec, float, 8, 8> b;
  TEXPANDS(a, 1.0f);
  TEXPANDS(b, 2.0f);
  Matrix<8, 8> out_gm(out);
  TSTORE(out_gm, b);
}

TEST(kernels_on_gpu, a_tile_without_room_is_found_and_the_rest_goes_on) {
  Device dev(ptox::target::cuda);
  auto out = dev.alloc<float>(64);
  const Report report = dev.launch<too_large>({}, out.data());
  ASSERT_EQ(report.findings().size(), 1u) << report;
  EXPECT_EQ(report.findings()[0].kind, ptox::FindingKind::ub_overflow);
  EXPECT_NE(report.findings()[0].message.find("auto mode finds no room"), std::string::npos) << report;
  EXPECT_NE(report.findings()[0].file.find("kernels_test.cu"), std::string::npos) << report;
  EXPECT_EQ(out[5], 2.0f);
}

__global__ AICORE void null_table(__gm__ float* table, __gm__ int32_t* idx) {
  Matrix<1000, width> table_gm(table);
  Matrix<1, rows, int32_t> idx_gm(idx);
  Row dst;
  Index index;
  TLOAD(index, idx_gm);
  MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, table_gm, index);
}

TEST(kernels_on_gpu, a_null_tensor_is_found_and_not_read) {
  Device dev(ptox::target::cuda);
  auto idx = dev.alloc<int32_t>(rows);
  const Report report = dev.launch<null_table>({.blocks = 3}, static_cast<float*>(nullptr), idx.data());
  ASSERT_EQ(report.findings().size(), 1u) << report;
  EXPECT_EQ(report.findings()[0].kind, ptox::FindingKind::oob_gm);
  EXPECT_EQ(report.findings()[0].count, 3);
}

TEST(kernels_on_gpu, more_ub_than_there_is_is_found) {
  Device dev(ptox::target::cuda);
  auto out = dev.alloc<int32_t>(8);
  const Report report = dev.launch<scalar>({.dyn_ub_bytes = 1 << 20}, out.data());
  EXPECT_TRUE(report.has(ptox::FindingKind::ub_budget)) << report;
  EXPECT_EQ(out[2], 11);
}

}  // namespace
