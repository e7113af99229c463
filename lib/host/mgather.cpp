// SPDX-License-Identifier: Apache-2.0
// MGATHER on the host: rows are copied as bytes, elements as integers of their size.
#include <algorithm>

#include "engine/issue/host_bodies.hpp"
#include "host/rows.hpp"
#include "loops/caches.hpp"
#include "loops/tiles/tile_moves.hpp"

namespace ptox {

using pto::instr::Mgather;

namespace {

/// Gathers from a table whose rows are not a constant step apart; the address of each row is computed.
void gather_uneven(Core& core, const Mgather::Operands& o) {
  const pto::instr::Table table(core.target(), o.table, pto::Coalesce::Row, o.dst.valid_cols);
  const std::int64_t size = pto::instr::size_of(o.dst.dtype), capacity = table.capacity(), step = row_index_step(o.idx);
  const auto row_bytes = static_cast<std::size_t>(o.dst.valid_cols * size);
  const std::byte* idx = tile_base(core, o.idx);
  std::byte* dst = tile_base(core, o.dst);
  for (std::int64_t r = 0; r < o.dst.valid_rows; ++r, dst += o.dst.cols * size) {
    const pto::instr::Slot slot =
        pto::instr::remap(load_index(idx + r * step * 4), capacity, pto::instr::out_of_range(o.policy.oob));
    if (slot)
      std::memmove(dst, gm(o.table, table.offset(slot.at, 0)), row_bytes);
    else
      std::memset(dst, 0, row_bytes);
  }
}

/// Whether a gather uses the loop for tiles, which prefetches all following or requested rows while it copies its own:
/// L2 has to hold both. Measured: rows of less than a line are faster without it where DRAM latency is low.
bool is_tile(const Move& m) {
  return (m.following || m.asked_count > 0) && m.row_bytes >= (caches().large_second() ? 16 : 64) &&
         m.row_bytes <= 4096 && m.count * m.row_bytes <= caches().second / 4;
}

/// How many of `rows` rows are not prefetched by the gather but by the store behind it, if that store is non-temporal
/// as the last one was. Measured: a third where DRAM latency is high, because memory would otherwise be idle from the
/// end of the store to the next gather; elsewhere all, except short rows, because one line can be loaded with each line
/// that is stored.
std::int64_t left_for_store(const Move& m, std::int64_t rows) {
  if (caches().large_second()) return rows / 3;
  return m.row_bytes < 256 ? 0 : rows;
}
/// Leaves rows to be prefetched by the next store, in Core::hints; returns whether there are any.
bool leave_some(Core& core, Move& m) {
  if (!m.tile || !core.stores().streaming()) return false;
  std::int64_t& fetched = m.following ? m.following_count : m.asked_count;
  const std::int64_t left = std::min<std::int64_t>(left_for_store(m, fetched), pto::instr::Hints::most);
  fetched -= left;
  if (m.following)
    for (std::int64_t i = fetched; i < fetched + left; ++i)
      core.hints().add(m.table + m.following[i] * m.stride, m.row_bytes);
  return left > 0;
}

}  // namespace

void NativeBody<Mgather>::run(Core& core, const HostMove& m, const std::int64_t* where) {
  std::byte *tile = tile_of(core, m, where), *table = tensor_of(where);
  const std::byte* idx = idx_of(core, where);
  const std::int64_t asked = core.hints().take_asked();
  if (m.far)
    if (Move far = by_slots(tile, table, idx, m); far.count > 0) {
      far.fetched = fetched(core, idx, far, asked);
      // If no new hint is kept for this gather, the rows in `hints` were left by an earlier gather.
      asked > 0 && core.hints().waits() ? take_hints(core.hints(), far) : core.hints().fetch_from(0);
      if (asked == 0 && far.asked_count == 0 && far.row_bytes > 8) follow(core, idx, far);  // rows, not elements
      far.tile = is_tile(far);
      const bool left = leave_some(core, far);
      kernels().gather[false](far);
      const int done = static_cast<int>(far.asked_count);
      return left ? core.hints().drop(done) : core.hints().fetch_from(done);
    }
  core.hints().fetch_from(0);
  (m.kind == HostMove::Kind::rows ? core.moves().gather(m) : core.moves().gather_elements)(tile, table, idx, m);
}

bool NativeBody<Mgather>::run(Core& core, const Mgather::Operands& o) {
  if (run_move<Mgather>(core, o)) return true;
  const bool uneven = plain_rows(o.dst) && plain_rows(o.table) && o.policy.coalesce.row() && o.table.base;
  if (uneven) gather_uneven(core, o);
  return uneven;
}

}  // namespace ptox
