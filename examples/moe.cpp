// SPDX-License-Identifier: Apache-2.0
// Sends tokens to experts and combines the results of the experts.
#include "example.hpp"
#include "pto/pto-inst.hpp"

using namespace pto;

constexpr int tokens_all = 24, width = 32, experts = 4, capacity = 16;

/// expert_in[e, s, :] = tokens[slots[e, s], :], one block per expert; a slot of -1 has no token and gets zeros.
AICORE void dispatch(__gm__ float* tokens, __gm__ int32_t* slots, __gm__ float* expert_in) {
  const int32_t first = get_block_idx() * capacity;
  GlobalTensor<float, Shape<1, 1, 1, tokens_all, width>, Stride<1, 1, 1, width, 1>> tokens_gm(tokens);
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, capacity>, Stride<1, 1, 1, capacity, 1>> slots_gm(slots + first);
  GlobalTensor<float, Shape<1, 1, 1, capacity, width>, Stride<1, 1, 1, width, 1>> in_gm(expert_in + first * width);
  Tile<TileType::Vec, float, capacity, width> dst;
  Tile<TileType::Vec, int32_t, 1, capacity> index;
  TASSIGN(dst, 0x0);
  TASSIGN(index, 0x1000);
  TLOAD(index, slots_gm);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, tokens_gm, index);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(in_gm, dst);
}

/// combined[slots[e, s], :] += expert_out[e, s, :], one block per expert; a slot of -1 adds nothing.
AICORE void combine(__gm__ float* combined, __gm__ float* expert_out, __gm__ int32_t* slots) {
  const int32_t first = get_block_idx() * capacity;
  GlobalTensor<float, Shape<1, 1, 1, tokens_all, width>, Stride<1, 1, 1, width, 1>> combined_gm(combined);
  GlobalTensor<int32_t, Shape<1, 1, 1, 1, capacity>, Stride<1, 1, 1, capacity, 1>> slots_gm(slots + first);
  GlobalTensor<float, Shape<1, 1, 1, capacity, width>, Stride<1, 1, 1, width, 1>> out_gm(expert_out + first * width);
  Tile<TileType::Vec, float, capacity, width> src;
  Tile<TileType::Vec, int32_t, 1, capacity> index;
  TASSIGN(src, 0x0);
  TASSIGN(index, 0x1000);
  TLOAD(src, out_gm);
  TLOAD(index, slots_gm);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(combined_gm, src, index);
}

/// Routes every token to two experts; slots that remain unused are -1.
static void route(const example::Array<int32_t>& slots) {
  int used[experts] = {};
  for (int32_t& slot : slots.memory) slot = -1;
  for (int t = 0; t < tokens_all; ++t)
    for (const int e : {t % experts, (t + 1 + t / experts % (experts - 1)) % experts})
      slots[e * capacity + used[e]++] = t;
}

static bool show(example::Run& run) {
  auto tokens = run.array<float>("tokens", {tokens_all, width});
  auto slots = run.array<int32_t>("slots", {experts, capacity});
  auto expert_in = run.array<float>("expert_in", {experts, capacity, width});
  auto expert_out = run.array<float>("expert_out", {experts, capacity, width});
  auto combined = run.array<float>("combined", {tokens_all, width});
  for (int i = 0; i < tokens_all * width; ++i) tokens[i] = static_cast<float>(i % 97) / 8;
  route(slots);

  auto& given = expert_in.expect();
  for (int s = 0; s < experts * capacity; ++s)
    for (int c = 0; c < width; ++c) given[s * width + c] = slots[s] < 0 ? 0 : tokens[slots[s] * width + c];
  bool right = run.launch<dispatch>("dispatch of 24 tokens to 4 experts", experts, tokens, slots, expert_in);

  // The work of the experts: expert e multiplies by e + 1. Sums of such multiples of 1/8 are exact in any order.
  for (int i = 0; i < experts * capacity * width; ++i)
    expert_out[i] = expert_in[i] * static_cast<float>(i / (capacity * width) + 1);

  auto& sum = combined.expect();
  for (int s = 0; s < experts * capacity; ++s)
    for (int c = 0; c < width && slots[s] >= 0; ++c) sum[slots[s] * width + c] += expert_out[s * width + c];
  right = run.launch<combine>("combine of what 2 experts made of each", experts, combined, expert_out, slots) && right;
  return right;
}

int main(int argc, char** argv) { return example::run(argc, argv, show); }
