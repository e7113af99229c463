// SPDX-License-Identifier: Apache-2.0
// Reads the keys and values of one sequence from a paged cache.
#include "example.hpp"
#include "pto/pto-inst.hpp"

using namespace pto;

constexpr int cache_pages = 32, page = 16, width = 128;

/// out[i, :] = cache[row_ids[i], :] for i < tokens, a page at a time; the last page may be shorter.
AICORE void paged_kv(__gm__ bfloat16_t* cache, __gm__ int32_t* row_ids, __gm__ bfloat16_t* out, int32_t tokens) {
  GlobalTensor<bfloat16_t, Shape<1, 1, 1, cache_pages * page, width>, Stride<1, 1, 1, width, 1>> cache_gm(cache);
  for (int32_t first = get_block_idx() * page; first < tokens; first += get_block_num() * page) {
    const int32_t n = tokens - first < page ? tokens - first : page;
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, page, 1>> ids_gm(row_ids + first, {n});
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, -1, width>, Stride<1, 1, 1, width, 1>> out_gm(out + first * width, {n});
    Tile<TileType::Vec, bfloat16_t, page, width, BLayout::RowMajor, -1, width> dst(n);
    Tile<TileType::Vec, int32_t, 1, page, BLayout::RowMajor, 1, -1> index(n);
    TASSIGN(dst, 0x0);
    TASSIGN(index, 0x2000);
    TLOAD(index, ids_gm);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    MGATHER<Coalesce::Row, GatherOOB::Undefined>(dst, cache_gm, index);
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
  constexpr int tokens = 5 * page + 7;
  const int block_table[] = {19, 3, 30, 8, 0, 25};  // the pages of the sequence, in order
  auto cache = run.array<bfloat16_t>("cache", {cache_pages * page, width});
  auto row_ids = run.array<int32_t>("row_ids", {tokens});
  auto out = run.array<bfloat16_t>("out", {tokens, width});
  for (int i = 0; i < cache_pages * page * width; ++i)
    cache[i] = bfloat16_t::from_bits(static_cast<uint16_t>(i * 3 % 0x7F80));
  for (int i = 0; i < tokens; ++i) row_ids[i] = block_table[i / page] * page + i % page;

  auto& expected = out.expect();
  for (int i = 0; i < tokens; ++i)
    for (int c = 0; c < width; ++c)
      expected[i * width + c] = cache[(block_table[i / page] * page + i % page) * width + c];
  return run.launch<paged_kv>("87 tokens in 6 pages of 16, the last one of 7", 2, cache, row_ids, out,
                              example::Scalar<int32_t>{"tokens", tokens});
}

int main(int argc, char** argv) { return example::run(argc, argv, show); }
