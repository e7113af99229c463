// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies that continue after their instruction do not change the result of a kernel.
#include <gtest/gtest.h>

#include <numeric>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Device;
using ptox::Report;

constexpr int rows = 32, width = 64, table_rows = 500, blocks = 60, turns = 30;
constexpr int tile_elements = rows * width;
using Rows = Tile<TileType::Vec, int32_t, rows, width>;
using Index = Tile<TileType::Vec, int32_t, 1, rows>;
template <int n, int w>
using Matrix = GlobalTensor<int32_t, Shape<1, 1, 1, n, w>, Stride<1, 1, 1, w, 1>>;

AICORE void after(pipe_t first, pipe_t then, event_t id = EVENT_ID0) {
  set_flag(first, then, id);
  wait_flag(first, then, id);
}

/// Double buffering: the next indices and rows are loaded while the previous rows are stored.
__global__ AICORE void two_by_two(__gm__ int32_t* table, __gm__ int32_t* idx, __gm__ int32_t* out) {
  Matrix<table_rows, width> table_gm(table);
  Rows data[2];
  Index index[2];
  const auto load = [&](int turn) {
    Matrix<1, rows> idx_gm(idx + (get_block_idx() * turns + turn) * rows);
    TLOAD(index[turn % 2], idx_gm);
    set_flag(PIPE_MTE2, PIPE_V, turn % 2 ? EVENT_ID1 : EVENT_ID0);
  };
  load(0);
  for (int turn = 0; turn < turns; ++turn) {
    const event_t id = turn % 2 ? EVENT_ID1 : EVENT_ID0;
    if (turn + 1 < turns) load(turn + 1);
    wait_flag(PIPE_MTE2, PIPE_V, id);
    if (turn >= 2) wait_flag(PIPE_MTE3, PIPE_V, id);
    MGATHER<Coalesce::Row, GatherOOB::Zero>(data[turn % 2], table_gm, index[turn % 2]);
    after(PIPE_V, PIPE_MTE3, id);
    Matrix<rows, width> out_gm(out + (get_block_idx() * turns + turn) * tile_elements);
    TSTORE(out_gm, data[turn % 2]);
    set_flag(PIPE_MTE3, PIPE_V, id);
  }
}

TEST(behind_on_gpu, the_next_rows_come_while_the_last_ones_leave) {
  Device dev(ptox::target::cuda);
  auto table = dev.alloc<int32_t>(table_rows * width), idx = dev.alloc<int32_t>(blocks * turns * rows);
  auto out = dev.alloc<int32_t>(blocks * turns * tile_elements);
  std::iota(table.begin(), table.end(), 1);
  for (int i = 0; i < blocks * turns * rows; ++i) idx[i] = static_cast<int32_t>(i * 7919ll % (table_rows + 3));
  std::fill(out.begin(), out.end(), -1);
  const Report report = dev.launch<two_by_two>({.blocks = blocks}, table.data(), idx.data(), out.data());
  EXPECT_TRUE(report.clean()) << report;
  for (int i = 0; i < blocks * turns * tile_elements; ++i) {
    const int slot = idx[i / width];
    ASSERT_EQ(out[i], slot < table_rows ? table[slot * width + i % width] : 0) << i;
  }
}

/// Stores a tile, overwrites the tile immediately, and loads the stored data again from the same global memory.
__global__ AICORE void there_and_back(__gm__ int32_t* memory, __gm__ int32_t* out) {
  Matrix<rows, width> memory_gm(memory + get_block_idx() * tile_elements);
  Rows data, back;
  for (int turn = 0; turn < turns; ++turn) {
    TEXPANDS(data, get_block_idx() * turns + turn);
    after(PIPE_V, PIPE_MTE3);
    TSTORE(memory_gm, data);
    after(PIPE_MTE3, PIPE_V);
    TEXPANDS(data, -1);
    after(PIPE_MTE3, PIPE_MTE2);
    TLOAD(back, memory_gm);
    after(PIPE_MTE2, PIPE_MTE3);
    Matrix<rows, width> out_gm(out + (get_block_idx() * turns + turn) * tile_elements);
    TSTORE(out_gm, back);
    after(PIPE_MTE3, PIPE_V);
    after(PIPE_MTE3, PIPE_MTE2);
  }
}

TEST(behind_on_gpu, what_left_a_tile_is_read_back_and_not_what_came_later) {
  Device dev(ptox::target::cuda);
  auto memory = dev.alloc<int32_t>(blocks * tile_elements), out = dev.alloc<int32_t>(blocks * turns * tile_elements);
  for (int round = 0; round < 2; ++round) {
    std::fill(out.begin(), out.end(), -2);
    const Report report = dev.launch<there_and_back>({.blocks = blocks}, memory.data(), out.data());
    EXPECT_TRUE(report.clean()) << report;
    for (int i = 0; i < blocks * turns * tile_elements; ++i) ASSERT_EQ(out[i], i / tile_elements) << i;
  }
}

/// Alternates scatters, stores and gathers on the block's own part of the table.
__global__ AICORE void over_and_over(__gm__ int32_t* table, __gm__ int32_t* idx, __gm__ int32_t* sums) {
  Matrix<rows, width> own(table + get_block_idx() * tile_elements);
  Rows ones, read, twos;
  Index index;
  Matrix<1, rows> idx_gm(idx);
  TLOAD(index, idx_gm);
  TEXPANDS(ones, 1);
  TEXPANDS(twos, 2);
  Matrix<rows, width> sums_gm(sums + get_block_idx() * tile_elements);
  for (int turn = 0; turn < turns; ++turn) {
    TSTORE(own, twos);
    MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(own, ones, index);  // 3
    MGATHER<Coalesce::Row, GatherOOB::Zero>(read, own, index);                          // 3
    MSCATTER<Coalesce::Row, ScatterAtomicOp::None, ScatterOOB::Skip>(own, ones, index);
    TSTORE(own, twos);
    MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(own, read, index);  // 5
    MGATHER<Coalesce::Row, GatherOOB::Zero>(read, own, index);
    MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(sums_gm, read, index);
  }
}

TEST(behind_on_gpu, stores_behind_the_threads_and_their_own_keep_their_order) {
  Device dev(ptox::target::cuda);
  auto table = dev.alloc<int32_t>(blocks * tile_elements), sums = dev.alloc<int32_t>(blocks * tile_elements);
  auto idx = dev.alloc<int32_t>(rows);
  for (int i = 0; i < rows; ++i) idx[i] = (i * 5 + 3) % rows;
  const Report report = dev.launch<over_and_over>({.blocks = blocks}, table.data(), idx.data(), sums.data());
  EXPECT_TRUE(report.clean()) << report;
  for (int i = 0; i < blocks * tile_elements; ++i) ASSERT_EQ(sums[i], 5 * turns) << i;
}

/// Data of asynchronous stores is read in other ways: by elements, and by the kernel itself.
__global__ AICORE void read_in_every_way(__gm__ int32_t* memory, __gm__ int32_t* idx, __gm__ int32_t* wrong) {
  Matrix<rows, width> own(memory + get_block_idx() * tile_elements);
  Rows data, elements;
  Tile<TileType::Vec, int32_t, rows, width> where;
  Matrix<rows, width> idx_gm(idx);
  TLOAD(where, idx_gm);
  for (int turn = 0; turn < turns; ++turn) {
    TEXPANDS(data, turn);
    TSTORE(own, data);
    MGATHER<Coalesce::Elem, GatherOOB::Zero>(elements, own, where);
    const int by_element = elements.GetValue(turn % rows, turn % width);
    after(PIPE_MTE3, PIPE_S);
    const int by_hand =
        *static_cast<volatile int32_t*>(memory + get_block_idx() * tile_elements + turn % tile_elements);
    if (by_element != turn || by_hand != turn) wrong[get_block_idx()] = turn + 1;
    pipe_barrier(PIPE_ALL);  // each thread has read directly
    memory[get_block_idx() * tile_elements + 7] = -1;
    pipe_barrier(PIPE_ALL);
  }
}

TEST(behind_on_gpu, what_left_is_read_in_every_way_and_written_over) {
  Device dev(ptox::target::cuda);
  auto memory = dev.alloc<int32_t>(blocks * tile_elements), idx = dev.alloc<int32_t>(tile_elements);
  auto wrong = dev.alloc<int32_t>(blocks);
  for (int i = 0; i < tile_elements; ++i) idx[i] = (i * 37 + 7) % tile_elements;
  const Report report = dev.launch<read_in_every_way>({.blocks = blocks}, memory.data(), idx.data(), wrong.data());
  EXPECT_TRUE(report.clean()) << report;
  for (int i = 0; i < blocks; ++i) EXPECT_EQ(wrong[i], 0) << i;
}

/// Stores rows with a negative stride and loads them in forward order.
__global__ AICORE void backwards(__gm__ int32_t* memory, __gm__ int32_t* out) {
  using Back = GlobalTensor<int32_t, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, -1, 1>>;
  __gm__ int32_t* const mine = memory + get_block_idx() * tile_elements;
  Back back(mine + (rows - 1) * width, {}, {-width});
  Matrix<rows, width> own(mine);
  Rows data, read;
  for (int turn = 0; turn < turns; ++turn) {
    TEXPANDS(data, get_block_idx() * turns + turn);
    TSTORE(back, data);
    TLOAD(read, own);
    Matrix<rows, width> out_gm(out + (get_block_idx() * turns + turn) * tile_elements);
    TSTORE(out_gm, read);
  }
}

TEST(behind_on_gpu, rows_that_leave_backwards_are_waited_for) {
  Device dev(ptox::target::cuda);
  auto memory = dev.alloc<int32_t>(blocks * tile_elements), out = dev.alloc<int32_t>(blocks * turns * tile_elements);
  const Report report = dev.launch<backwards>({.blocks = blocks}, memory.data(), out.data());
  EXPECT_TRUE(report.clean()) << report;
  for (int i = 0; i < blocks * turns * tile_elements; ++i) ASSERT_EQ(out[i], i / tile_elements) << i;
}

/// More loads in progress than are counted at once, and a scalar read of the last of them.
__global__ AICORE void many_loads(__gm__ int32_t* from, __gm__ int32_t* out) {
  constexpr int many = 9;
  Tile<TileType::Vec, int32_t, 1, 64> tiles[many];
  for (int turn = 0; turn < turns; ++turn) {
    for (int i = 0; i < many; ++i) {
      Matrix<1, 64> from_gm(from + (turn * many + i) * 64);
      TLOAD(tiles[i], from_gm);
    }
    after(PIPE_MTE2, PIPE_S);
    int sum = 0;
    for (int i = 0; i < many; ++i) sum += tiles[i].GetValue(0, (turn + i) % 64);
    if (get_block_idx() == 0) out[turn] = sum;
    after(PIPE_S, PIPE_MTE2);
  }
}

TEST(behind_on_gpu, more_loads_than_are_counted_at_once) {
  constexpr int many = 9;
  Device dev(ptox::target::cuda);
  auto from = dev.alloc<int32_t>(turns * many * 64), out = dev.alloc<int32_t>(turns);
  std::iota(from.begin(), from.end(), 0);
  EXPECT_TRUE((dev.launch<many_loads>({.blocks = 3}, from.data(), out.data()).clean()));
  for (int turn = 0; turn < turns; ++turn) {
    int sum = 0;
    for (int i = 0; i < many; ++i) sum += (turn * many + i) * 64 + (turn + i) % 64;
    EXPECT_EQ(out[turn], sum) << turn;
  }
}

}  // namespace
