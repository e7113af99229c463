// SPDX-License-Identifier: Apache-2.0
// Looks up rows of an embedding table by token.
#include "example.hpp"
#include "pto/pto-inst.hpp"

using namespace pto;

constexpr int vocabulary = 1000, width = 64, rows = 16;

/// out[i, :] = table[idx[i], :]; `chunks` chunks of 16 tokens, distributed round-robin over the blocks.
AICORE void embedding_lookup(__gm__ half* table, __gm__ int32_t* idx, __gm__ half* out, int32_t chunks) {
  GlobalTensor<half, Shape<1, 1, 1, vocabulary, width>, Stride<1, 1, 1, width, 1>> table_gm(table);
  Tile<TileType::Vec, half, rows, width> dst;
  Tile<TileType::Vec, int32_t, 1, rows> index;
  TASSIGN(dst, 0x0);
  TASSIGN(index, 0x1000);
  for (int32_t chunk = get_block_idx(); chunk < chunks; chunk += get_block_num()) {
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, rows, 1>> idx_gm(idx + chunk * rows);
    GlobalTensor<half, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, width, 1>> out_gm(out + chunk * rows * width);
    TLOAD(index, idx_gm);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    MGATHER<Coalesce::Row, GatherOOB::Undefined>(dst, table_gm, index);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(out_gm, dst);
    // The next iteration overwrites dst by its gather and index by its load.
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
  }
}

static bool show(example::Run& run) {
  constexpr int chunks = 10, tokens = chunks * rows;
  auto table = run.array<half>("table", {vocabulary, width});
  auto idx = run.array<int32_t>("idx", {tokens});
  auto out = run.array<half>("out", {tokens, width});
  for (int i = 0; i < vocabulary * width; ++i) table[i] = half::from_bits(static_cast<uint16_t>(i * 5 % 0x7C00));
  for (int i = 0; i < tokens; ++i) idx[i] = i * i * 7 % vocabulary;

  auto& expected = out.expect();
  for (int i = 0; i < tokens; ++i)
    for (int c = 0; c < width; ++c) expected[i * width + c] = table[idx[i] * width + c];
  return run.launch<embedding_lookup>("160 tokens of a 1000 x 64 table, 4 blocks", 4, table, idx, out,
                                      example::Scalar<int32_t>{"chunks", chunks});
}

int main(int argc, char** argv) { return example::run(argc, argv, show); }
