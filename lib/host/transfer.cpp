// SPDX-License-Identifier: Apache-2.0
// TLOAD, TSTORE, TPREFETCH and the updates of TREDUCE on the host, by rows, or in one piece where those are contiguous.
#include "engine/issue/host_bodies.hpp"
#include "engine/memory/updates.hpp"
#include "host/rows.hpp"
#include "loops/caches.hpp"
#include "loops/tiles/tile_moves.hpp"

namespace ptox {

using pto::instr::Tload;
using pto::instr::Tprefetch;
using pto::instr::Treduce;
using pto::instr::Tstore;

namespace {

void add_rows(Core& core, std::byte* to, const std::byte* tile, const HostMove& m) {
  const TileMoves::Update update = core.moves().row_update(m.op, m.dtype);
  const std::int64_t size = pto::instr::size_of(m.dtype);
  Updates updates;
  for (std::int64_t r = 0; r < m.rows; ++r, to += m.gm_step, tile += m.tile_step)
    updates.run(to, m.row_bytes, size, [&](std::int64_t at, std::int64_t n) { update(to + at, tile + at, n); });
}

void store_rows(Core& core, std::byte* to, const std::byte* tile, const HostMove& m) {
  const bool streams = m.rows == 1 && core.stores().streams(to, m.row_bytes);
  pto::instr::Hints& left = core.hints();
  if (!streams) left.fetch_from(0);
  if (m.rows != 1) return core.moves().copy(to, m.gm_step, tile, m.tile_step, m.rows, m.row_bytes);
  // Rows that a gather left are prefetched line by line with the lines that are stored, or, where DRAM latency is high,
  // after the store.
  if (left.count() > 0 && !caches().large_second()) {
    kernels().stream_fetching(to, tile, m.row_bytes, {left.rows(), left.count(), left.row_bytes()});
    return left.clear();
  }
  kernels().copy(to, tile, m.row_bytes, streams);
  left.fetch_from(0);
}

}  // namespace

void NativeBody<Tload>::run(Core& core, const HostMove& m, const std::int64_t* where) {
  std::byte* tile = tile_of(core, m, where);
  const std::byte* from = tensor_of(where);
  const bool indices = m.rows == 1 && m.row_bytes < IndexTiles::most_bytes && m.row_bytes % 4 == 0;
  if (!indices) core.hints().fetch_from(0);
  if (m.rows != 1) return core.moves().copy(tile, m.tile_step, from, m.gm_step, m.rows, m.row_bytes);
  kernels().copy(tile, from, m.row_bytes, false);
  indices ? core.indices().load(tile, from, m.row_bytes) : core.loads().take(from, m.row_bytes);
}

void NativeBody<Tstore>::run(Core& core, const HostMove& m, const std::int64_t* where) {
  std::byte *to = tensor_of(where), *tile = tile_of(core, m, where);
  if (m.op == pto::ScatterAtomicOp::None) return store_rows(core, to, tile, m);
  core.hints().fetch_from(0);
  core.publish_stores();
  add_rows(core, to, tile, m);
}

void NativeBody<Tprefetch>::run(Core& core, const HostMove& m, const std::int64_t* where) {
  Tprefetch::ask_for(m, tensor_of(where), core.bare() ? &core.hints() : nullptr);
}

bool NativeBody<Treduce>::run(Core& core, const Treduce::Operands& o) {
  if (!pto::instr::plain_rows(o.acc)) return false;
  const TileMoves::Update update = core.moves().row_update(Treduce::update_op(o), o.acc.dtype);
  const std::int64_t size = pto::instr::size_of(o.acc.dtype), bytes = o.acc.valid_cols * size;
  std::byte *acc = tile_base(core, o.acc), *recv = tile_base(core, o.recv);
  if (o.acc.valid_cols == o.acc.cols && o.recv.valid_cols == o.recv.cols)
    return update(acc, recv, bytes * o.acc.valid_rows), true;
  for (std::int64_t r = 0; r < o.acc.valid_rows; ++r)
    update(acc + r * o.acc.cols * size, recv + r * o.recv.cols * size, bytes);
  return true;
}

bool NativeBody<Tload>::run(Core& core, const Tload::Operands& o) { return run_move<Tload>(core, o); }
bool NativeBody<Tstore>::run(Core& core, const Tstore::Operands& o) { return run_move<Tstore>(core, o); }
bool NativeBody<Tprefetch>::run(Core& core, const Tprefetch::Operands& o) { return run_move<Tprefetch>(core, o); }

}  // namespace ptox
