// SPDX-License-Identifier: Apache-2.0
// Measures how much longer a checked run of a model takes, for a lookup of a million rows of 128 bytes.
#include <cstdlib>
#include <memory>

#include "bench/bench.hpp"
#include "bench/turns.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::bench {

namespace {

using namespace pto;

constexpr int rows = 1'000'000, width = 32, tile_rows = 64;
template <class T, int R, int C>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<R * C, R * C, R * C, C, 1>>;

void after(pipe_t first, pipe_t then) {
  set_flag(first, then, EVENT_ID0);
  wait_flag(first, then, EVENT_ID0);
}

void lookup(float* out, float* table_data, std::int32_t* indices) {
  Matrix<float, rows, width> table(table_data);
  Tile<TileType::Vec, float, tile_rows, width> dst;
  Tile<TileType::Vec, std::int32_t, 1, tile_rows> idx;
  for (std::int64_t first = 0; first < rows; first += tile_rows) {
    Matrix<std::int32_t, 1, tile_rows> these(indices + first);
    Matrix<float, tile_rows, width> there(out + first * width);
    TLOAD(idx, these);
    after(PIPE_MTE2, PIPE_V);
    MGATHER<Coalesce::Row>(dst, table, idx);
    after(PIPE_V, PIPE_MTE3);
    TSTORE(there, dst);
    after(PIPE_MTE3, PIPE_V);
    after(PIPE_V, PIPE_MTE2);
  }
}

Way way(const Target& target, Check check, const char* name) {
  Device memory(target);
  const auto out = std::make_shared<Buffer<float>>(memory.alloc<float>(std::int64_t{rows} * width)),
             table = std::make_shared<Buffer<float>>(memory.alloc<float>(std::int64_t{rows} * width));
  const auto idx = std::make_shared<Buffer<std::int32_t>>(memory.alloc<std::int32_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) (*idx)[i] = static_cast<std::int32_t>(i * 7919 % rows);
  const auto run = [=, &target] {
    Device dev(target, {check});
    if (!dev.launch<lookup>({}, out->data(), table->data(), idx->data()).clean()) std::abort();
  };
  return timed(name, run, check == Check::off ? Kind::reference : Kind::ours);
}

}  // namespace

void checked_lookup(const Settings& settings, const Sink& sink) {
  for (const Target* t : {&target::a2a3, &target::a5}) {
    const std::vector<Way> ways{way(*t, Check::off, "unchecked"), way(*t, Check::all, "checked")};
    sink({"check", t->name, "row", rows, in_turns(ways, settings.rounds_or(3))});
  }
}

}  // namespace ptox::bench
