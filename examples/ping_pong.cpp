// SPDX-License-Identifier: Apache-2.0
// Double buffering: a lookup in which load, gather and store overlap.
#include "example.hpp"
#include "pto/pto-inst.hpp"

using namespace pto;

constexpr int vocabulary = 512, width = 128, rows = 16;

/// out[i, :] = table[idx[i], :]; `pairs` pairs of chunks of 16 rows. While one chunk is gathered, the indices of the
/// next are loaded and the rows of the previous one are stored. ID1 orders the use of the ping tiles, ID2 that of the
/// pong tiles; ID0 is left to the gather, which sets flags internally on some machines.
AICORE void ping_pong(__gm__ float* table, __gm__ int32_t* idx, __gm__ float* out, int32_t pairs) {
  using Index = GlobalTensor<int32_t, Shape<1, 1, 1, 1, rows>, Stride<1, 1, 1, rows, 1>>;
  using Rows = GlobalTensor<float, Shape<1, 1, 1, rows, width>, Stride<1, 1, 1, width, 1>>;
  GlobalTensor<float, Shape<1, 1, 1, vocabulary, width>, Stride<1, 1, 1, width, 1>> table_gm(table);
  Tile<TileType::Vec, float, rows, width> ping, pong;
  Tile<TileType::Vec, int32_t, 1, rows> ping_index, pong_index;
  TASSIGN(ping, 0x0), TASSIGN(pong, 0x2000), TASSIGN(ping_index, 0x4000), TASSIGN(pong_index, 0x4100);
  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1), set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);  // both index tiles are free
  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1), set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);  // both row tiles are free
  for (int32_t pair = 0; pair < pairs; ++pair) {
    Index ping_idx(idx + 2 * pair * rows), pong_idx(idx + (2 * pair + 1) * rows);
    Rows ping_out(out + 2 * pair * rows * width), pong_out(out + (2 * pair + 1) * rows * width);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
    TLOAD(ping_index, ping_idx);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
    TLOAD(pong_index, pong_idx);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID2);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1), wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    MGATHER<Coalesce::Row, GatherOOB::Undefined>(ping, table_gm, ping_index);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1), set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID2), wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
    MGATHER<Coalesce::Row, GatherOOB::Undefined>(pong, table_gm, pong_index);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID2), set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    TSTORE(ping_out, ping);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID1);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
    TSTORE(pong_out, pong);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
  }
  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1), wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID2);
  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID1), wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID2);
}

static bool show(example::Run& run) {
  constexpr int pairs = 4, tokens = 2 * pairs * rows;
  auto table = run.array<float>("table", {vocabulary, width});
  auto idx = run.array<int32_t>("idx", {tokens});
  auto out = run.array<float>("out", {tokens, width});
  for (int i = 0; i < vocabulary * width; ++i) table[i] = static_cast<float>(i);
  for (int i = 0; i < tokens; ++i) idx[i] = i * 37 % vocabulary;

  auto& expected = out.expect();
  for (int i = 0; i < tokens; ++i)
    for (int c = 0; c < width; ++c) expected[i * width + c] = table[idx[i] * width + c];
  return run.launch<ping_pong>("128 tokens, 16 at a time, double-buffered", 1, table, idx, out,
                               example::Scalar<int32_t>{"pairs", pairs});
}

int main(int argc, char** argv) { return example::run(argc, argv, show); }
