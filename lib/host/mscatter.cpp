// SPDX-License-Identifier: Apache-2.0
// MSCATTER on the host: plain scatters copy rows and elements as bytes, updates depend on the element type.
#include "engine/issue/host_bodies.hpp"
#include "engine/memory/combine.hpp"
#include "host/rows.hpp"
#include "loops/tiles/tile_moves.hpp"

namespace ptox {

using pto::ScatterAtomicOp;
using pto::instr::Mscatter;

namespace {

/// Scatters to a table whose rows are not a constant step apart; the address of each row is computed.
void scatter_uneven(Core& core, const Mscatter::Operands& o) {
  const pto::instr::Table table(core.target(), o.table, pto::Coalesce::Row, o.src.valid_cols);
  const std::int64_t size = pto::instr::size_of(o.src.dtype), capacity = table.capacity(), step = row_index_step(o.idx);
  const std::byte *idx = tile_base(core, o.idx), *src = tile_base(core, o.src);
  for (std::int64_t r = 0; r < o.src.valid_rows; ++r, src += o.src.cols * size) {
    const pto::instr::Slot slot =
        pto::instr::remap(load_index(idx + r * step * 4), capacity, pto::instr::out_of_range(o.policy.oob));
    if (!slot) continue;
    std::byte* to = gm(o.table, table.offset(slot.at, 0));
    pto::instr::with_type(o.src.dtype, [&]<class T>() {
      for (std::int64_t c = 0; c < o.src.valid_cols; ++c) combine<T>(o.policy.op, to + c * size, src + c * size);
    });
  }
}

void update_rows(Core& core, Updates& updates, const std::byte* src, std::byte* table, const std::byte* idx,
                 const HostMove& m) {
  const TileMoves::Update update = core.moves().row_update(m.op, m.dtype);
  const std::int64_t size = pto::instr::size_of(m.dtype);
  const auto row = [&](std::int64_t r, std::int64_t slot) {
    std::byte* to = table + slot * m.gm_step;
    const std::byte* from = src + r * m.tile_step;
    updates.run(to, m.row_bytes, size, [&](std::int64_t at, std::int64_t n) { update(to + at, from + at, n); });
  };
  std::int64_t r = each_in_range(idx, m, row);
  for (; r < m.rows; ++r)
    if (const std::int64_t slot = slot_of(load_index(idx + r * m.idx_step), m); slot >= 0) row(r, slot);
}

/// Calls visit(slot, source element) in source order.
template <class T, class Visit>
void each_element(const std::byte* src, const std::byte* idx, const HostMove& m, Visit&& visit) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t r = 0; r < m.rows; ++r, src += m.tile_step, idx += m.idx_step)
    for (std::int64_t c = 0; c * size < m.row_bytes; ++c)
      if (const std::int64_t slot = slot_of(load_index(idx + c * 4), m); slot >= 0) visit(slot, src + c * size);
}

template <class T, ScatterAtomicOp op>
void update_elements(Updates& updates, const std::byte* src, std::byte* table, const std::byte* idx,
                     const HostMove& m) {
  each_element<T>(src, idx, m, [&](std::int64_t slot, const std::byte* from) {
    std::byte* to = table + slot * static_cast<std::int64_t>(sizeof(T));
    updates.element(to, [&] { apply<T>(op, to, from); });
  });
}

template <class T>
void update_elements(Updates& updates, const std::byte* src, std::byte* table, const std::byte* idx,
                     const HostMove& m) {
  using enum ScatterAtomicOp;
  if (m.op == Add) return update_elements<T, Add>(updates, src, table, idx, m);
  if (m.op == Max) return update_elements<T, Max>(updates, src, table, idx, m);
  update_elements<T, Min>(updates, src, table, idx, m);
}

/// Whether the rows of a tile seem to go to one or two rows of the table, which then stay in the caches.
bool looks_hot(const std::byte* idx, const HostMove& m) {
  const std::uint32_t first = load_index(idx);
  return first == load_index(idx + (m.rows - 1) * m.idx_step) || first == load_index(idx + m.rows / 2 * m.idx_step);
}

void store(Core& core, std::byte* src, std::byte* table, const std::byte* idx, const HostMove& m) {
  const bool rows = m.kind == HostMove::Kind::rows;
  if (m.far)
    if (Move far = by_slots(src, table, idx, m); far.count > 0) {
      far.next = core.loads().next(m.rows * m.row_bytes);
      far.stream = rows && !looks_hot(idx, m) && core.stores().scatters(m.rows * m.row_bytes);
      return kernels().scatter[false](far);
    }
  if (rows) return core.moves().scatter(m)(src, table, idx, m);
  pto::instr::with_type(m.dtype, [&]<class T>() {
    each_element<T>(src, idx, m, [&](std::int64_t slot, const std::byte* from) {
      std::memcpy(table + slot * static_cast<std::int64_t>(sizeof(T)), from, sizeof(T));
    });
  });
}

}  // namespace

void NativeBody<Mscatter>::run(Core& core, const HostMove& m, const std::int64_t* where) {
  std::byte *src = tile_of(core, m, where), *table = tensor_of(where);
  const std::byte* idx = idx_of(core, where);
  const std::int64_t asked = core.hints().take_asked();
  core.hints().fetch_from(0);
  if (m.op == ScatterAtomicOp::None) return store(core, src, table, idx, m);
  core.publish_stores();
  Updates updates;
  if (const MoveLoop loop = kernels().updating(false, m.op, m.dtype); updates.alone() && loop)
    if (Move all = by_slots(src, table, idx, m); all.count > 0) {
      all.next = core.loads().next(m.rows * m.row_bytes);
      if (m.far && all.row_bytes > 8) all.fetched = fetched(core, idx, all, asked), follow(core, idx, all);
      return loop(all);
    }
  if (m.kind == HostMove::Kind::rows) return update_rows(core, updates, src, table, idx, m);
  pto::instr::with_type(m.dtype, [&]<class T>() { update_elements<T>(updates, src, table, idx, m); });
}

bool NativeBody<Mscatter>::run(Core& core, const Mscatter::Operands& o) {
  if (run_move<Mscatter>(core, o)) return true;
  const bool uneven = plain_rows(o.src) && plain_rows(o.table) && o.policy.coalesce.row() && o.table.base;
  if (uneven) scatter_uneven(core, o);
  return uneven;
}

}  // namespace ptox
