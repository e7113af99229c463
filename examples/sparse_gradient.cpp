// SPDX-License-Identifier: Apache-2.0
// Adds the gradients of many tokens to the rows of one table.
#include "example.hpp"
#include "pto/pto-inst.hpp"

using namespace pto;

constexpr int table_rows = 50, width = 64, rows = 16;

/// table[idx[i], :] += grad[i, :]; `chunks` chunks of 16 rows, round-robin over the blocks. Indices may repeat.
AICORE void sparse_gradient(__gm__ float* table, __gm__ float* grad, __gm__ int32_t* idx, int32_t chunks) {
  GlobalTensor<float, Shape<1, 1, 1, table_rows, width>, Stride<1, 1, 1, width, 1>> table_gm(table);
  Tile<TileType::Vec, float, rows, width> src;
  Tile<TileType::Vec, int32_t, 1, rows> index;
  TASSIGN(src, 0x0);
  TASSIGN(index, 0x1000);
  for (int32_t chunk = get_block_idx(); chunk < chunks; chunk += get_block_num()) {
    GlobalTensor<float, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, width, 1>> grad_gm(grad + chunk * rows * width);
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, rows, 1>> idx_gm(idx + chunk * rows);
    TLOAD(src, grad_gm);
    TLOAD(index, idx_gm);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Undefined>(table_gm, src, index);
    // The loads of the next iteration overwrite src and index.
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
  }
}

static bool show(example::Run& run) {
  constexpr int chunks = 12, tokens = chunks * rows;
  auto table = run.array<float>("table", {table_rows, width});
  auto grad = run.array<float>("grad", {tokens, width});
  auto idx = run.array<int32_t>("idx", {tokens});
  // Small multiples of 1/16: their sums are exact and do not depend on the order in which blocks add.
  for (int i = 0; i < table_rows * width; ++i) table[i] = static_cast<float>(i % 31) / 16;
  for (int i = 0; i < tokens * width; ++i) grad[i] = static_cast<float>(i % 23 - 11) / 16;
  for (int i = 0; i < tokens; ++i) idx[i] = i * i % table_rows;

  auto& expected = table.expect();
  for (int i = 0; i < tokens; ++i)
    for (int c = 0; c < width; ++c) expected[idx[i] * width + c] += grad[i * width + c];
  return run.launch<sparse_gradient>("192 gradients added to a 50 x 64 table, 4 blocks", 4, table, grad, idx,
                                     example::Scalar<int32_t>{"chunks", chunks});
}

int main(int argc, char** argv) { return example::run(argc, argv, show); }
