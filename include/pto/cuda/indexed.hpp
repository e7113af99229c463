// SPDX-License-Identifier: Apache-2.0
// MGATHER and MSCATTER, executed by all threads of a block.
#pragma once

#include "pto/cuda/last.hpp"
#include "pto/cuda/share.hpp"
#include "pto/isa/mgather.hpp"
#include "pto/isa/mscatter.hpp"

namespace pto::instr::cuda {

/// The slots of a table that the indices of one instruction select.
template <class B>
struct Slots {
  B& block;
  const TileDesc& idx;
  const TensorDesc& tensor;
  Coalesce mode;
  instr::OutOfRange policy;
  std::int64_t capacity, step;  ///< step: bytes from a row to the next; `unknown` if that is not constant

  PTO_INTERNAL Slots(B& b, const TileDesc& idx_, const TensorDesc& table, Coalesce mode_, instr::OutOfRange policy_)
      : block(b), idx(idx_), tensor(table), mode(mode_), policy(policy_) {
    capacity = mode == Coalesce::Row ? table.rows() : table.numel();
    step = instr::plain_rows(table) ? instr::row_step(table) : instr::unknown;
    if (instr::known(step)) step *= instr::size_of(table.dtype);
  }
  /// The slot of row r, or of element (r, c).
  PTO_INTERNAL instr::Slot of(std::int64_t r, std::int64_t c) const {
    const instr::Position p = instr::index_position(idx, mode, r, c);
    return instr::remap(index_at(block, idx, p.r, p.c), capacity, policy);
  }
  /// The address of column c of a row, or of an element (c is then ignored).
  PTO_INTERNAL std::byte* address(std::int64_t slot, std::int64_t c) const {
    if (mode == Coalesce::Row) return at(tensor, instr::element_offset(tensor, slot, c));
    const bool nz = tensor.layout == Layout::NZ;
    return at(tensor, nz ? instr::element_offset(tensor, slot / tensor.cols(), slot % tensor.cols()) : slot);
  }
  /// The address of the table row that tile row r selects; null if there is none. `evenly`: `step` is known.
  template <bool evenly>
  PTO_INTERNAL std::byte* row(Count r) const {
    const instr::Slot slot = of(r, 0);
    if (!slot) return nullptr;
    return evenly ? static_cast<std::byte*>(tensor.base) + slot.at * step : address(slot.at, 0);
  }
  /// Calls move(f), where f(r) returns the address of the table row that tile row r selects.
  template <class M>
  PTO_INTERNAL void with_rows(M&& move) const {
    if (instr::known(step)) return move([this](Count r) { return row<true>(r); });
    move([this](Count r) { return row<false>(r); });
  }
  /// Whether whole rows are contiguous in the table.
  PTO_INTERNAL bool dense() const { return mode == Coalesce::Row && instr::plain_rows(tensor); }
  /// The bitwise or of the base and all steps: a power of two that divides it divides every address that `row` returns.
  PTO_INTERNAL std::uint64_t alignment() const {
    std::uint64_t bits = reinterpret_cast<std::uint64_t>(tensor.base);
    if (instr::known(step)) return bits | static_cast<std::uint64_t>(step);
    for (int i = 0; i < 4; ++i) bits |= static_cast<std::uint64_t>(tensor.stride[i] * instr::size_of(tensor.dtype));
    return bits;
  }
};

template <class B>
PTO_INTERNAL void body(B& b, const instr::Mgather::Operands& o) {
  const Slots slots(b, o.idx, o.table, o.policy.coalesce.mode, instr::out_of_range(o.policy.oob));
  const Rows rows = rows_of(o.dst);
  const auto move = [&]<class V>(V) { slots.with_rows([&](auto&& row) { fetch_rows<V>(b, rows, row); }); };
  if (slots.dense() && instr::plain_rows(o.dst) && with_step(alignment_bits(rows) | slots.alignment(), move)) return;
  fetch_elements(b, o.dst, [&](std::int64_t r, std::int64_t c) -> const std::byte* {
    const instr::Slot slot = slots.of(r, c);
    return slot ? slots.address(slot.at, c) : nullptr;
  });
}

/// Stores the rows for which keep(r) holds to their slots, in no order if several have the same slot.
template <class B, class Keep>
PTO_INTERNAL void scatter_rows(B& b, const instr::Mscatter::Operands& o, const Slots<B>& slots, Count first,
                               Count count, Keep&& keep) {
  Rows rows = rows_of(o.src);
  rows.tile_offset += first * rows.tile_step, rows.count = count;
  const auto move = [&]<class V>(V) {
    slots.with_rows(
        [&](auto&& row) { store_rows<V>(b, rows, [&](Count r) { return keep(r) ? row(first + r) : nullptr; }); });
  };
  if (slots.dense() && instr::plain_rows(o.src) && with_step(alignment_bits(rows) | slots.alignment(), move)) return;
  const Count cols = static_cast<Count>(o.src.valid_cols);
  each_mine(b, count * cols, [&](Count i) {
    const Count r = i / cols, c = i % cols;
    const instr::Slot slot = keep(r) ? slots.of(first + r, 0) : instr::Slot{};
    if (slot) copy_element(slots.address(slot.at, c), at(b, o.src, first + r, c), instr::size_of(o.src.dtype));
  });
}

template <class B>
PTO_INTERNAL void scatter_last(B& b, const instr::Mscatter::Operands& o, const Slots<B>& slots) {
  if (slots.mode == Coalesce::Row)
    return last_by_chunks(
        b, static_cast<Count>(o.src.valid_rows), [&](Count r) { return slots.of(r, 0).at; },
        [&](Count first, Count count, auto&& keep) { scatter_rows(b, o, slots, first, count, keep); });
  const Count cols = static_cast<Count>(o.src.valid_cols);
  last_of_each(
      b, static_cast<Count>(o.src.valid_rows) * cols, [&](Count i) { return slots.of(i / cols, i % cols).at; },
      [&](Count i, std::int64_t slot) {
        copy_element(slots.address(slot, 0), at(b, o.src, i / cols, i % cols), instr::size_of(o.src.dtype));
      });
}

/// Adds rows in units of sixteen bytes where the GPU, the element type and the alignment allow it; otherwise returns
/// false without effect.
template <class B>
PTO_INTERNAL bool add_rows(B& b, const instr::Mscatter::Operands& o, const Slots<B>& slots) {
  const Rows rows = rows_of(o.src);
  const bool possible = o.policy.op == ScatterAtomicOp::Add && b.adds_quads(o.src.dtype) && slots.dense() &&
                        instr::plain_rows(o.src) && common_step(alignment_bits(rows) | slots.alignment()) == 16;
  if (!possible) return false;
  const Count in_row = rows.bytes / 16, size = static_cast<Count>(instr::size_of(o.src.dtype));
  slots.with_rows([&](auto&& row_of) {
    each_mine(b, rows.count * in_row, [&](Count i) {
      std::byte* const row = row_of(i / in_row);
      if (!row) return;
      std::byte* const to = row + i % in_row * 16;
      const std::byte* const from = b.ub() + rows.tile_offset + i / in_row * rows.tile_step + i % in_row * 16;
      if (b.add_quad(o.src.dtype, to, *reinterpret_cast<const Quad*>(from))) return;
      for (Count k = 0; k < 16; k += size) b.update(o.policy.op, o.src.dtype, to + k, from + k);
    });
  });
  return true;
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::Mscatter::Operands& o) {
  const Slots slots(b, o.idx, o.table, o.policy.coalesce.mode, instr::out_of_range(o.policy.oob));
  b.note_written();
  const bool plain = o.policy.op == ScatterAtomicOp::None;
  if (plain && o.policy.conflict == ScatterConflict::Last) return scatter_last(b, o, slots);
  if (plain && slots.mode == Coalesce::Row)
    return scatter_rows(b, o, slots, 0, static_cast<Count>(o.src.valid_rows), [](Count) { return true; });
  if (add_rows(b, o, slots)) return;
  each_position(b, o.src, o.src.valid_rows, o.src.valid_cols, [&](std::int64_t r, std::int64_t c) {
    const instr::Slot slot = slots.of(r, c);
    if (slot) b.update(o.policy.op, o.src.dtype, slots.address(slot.at, c), at(b, o.src, r, c));
  });
}

}  // namespace pto::instr::cuda
