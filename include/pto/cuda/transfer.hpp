// SPDX-License-Identifier: Apache-2.0
// TLOAD, TSTORE and TPREFETCH, executed by all threads of a block.
#pragma once

#include "pto/cuda/share.hpp"
#include "pto/isa/tload.hpp"
#include "pto/isa/tprefetch.hpp"
#include "pto/isa/tstore.hpp"

namespace pto::instr::cuda {

/// The valid region of a tile and the same region of a tensor as rows of bytes; as a single row if both are contiguous.
struct Transfer {
  Rows rows;
  std::int64_t gm_step = 0;
  bool whole_rows = false;  ///< false: element by element

  PTO_INTERNAL Transfer(const TileDesc& tile, const TensorDesc& tensor) : rows(rows_of(tile)) {
    const std::int64_t step = instr::plain_rows(tensor) ? instr::row_step(tensor) : instr::unknown;
    whole_rows = instr::plain_rows(tile) && instr::known(step);
    gm_step = whole_rows ? step * instr::size_of(tile.dtype) : 0;
    if (whole_rows && gm_step == rows.bytes && rows.tile_step == gm_step) rows.bytes *= rows.count, rows.count = 1;
  }
  PTO_INTERNAL std::uint64_t alignment(const void* base) const {
    const std::uint64_t steps = rows.count > 1 ? static_cast<std::uint64_t>(gm_step) : 0;
    return alignment_bits(rows) | reinterpret_cast<std::uint64_t>(base) | steps;
  }
};

/// Sets all elements of dst outside its valid region to the pad value.
template <class B>
PTO_INTERNAL void pad(B& b, const TileDesc& dst) {
  const std::uint64_t bits = instr::pad_bits(dst.dtype, dst.pad);
  each_position(b, dst, dst.rows, dst.cols, [&](std::int64_t r, std::int64_t c) {
    if (r >= dst.valid_rows || c >= dst.valid_cols) set_element(at(b, dst, r, c), bits, instr::size_of(dst.dtype));
  });
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::Tload::Operands& o) {
  if (o.dst.pad != PadValue::Null) pad(b, o.dst);
  const Transfer t(o.dst, o.src);
  const auto* base = static_cast<const std::byte*>(o.src.base);
  const auto rows = [&]<class V>(V) { fetch_rows<V>(b, t.rows, [&](Count r) { return base + r * t.gm_step; }); };
  if (t.whole_rows && with_step(t.alignment(base), rows)) return;
  fetch_elements(b, o.dst, [&](std::int64_t r, std::int64_t c) -> const std::byte* {
    return at(o.src, instr::element_offset(o.src, r, c));
  });
}

/// Starts bulk stores of the rows if they are long enough and aligned; otherwise returns false without effect.
template <class B>
PTO_INTERNAL bool store_whole_rows(B& b, const Transfer& t, std::byte* base) {
  constexpr Count long_enough = 256;
  if (!b.can_store_whole() || t.rows.bytes < long_enough || t.alignment(base) % 16 != 0) return false;
  const std::byte* const tile = b.ub() + t.rows.tile_offset;
  for (Count r = b.tid(); r < t.rows.count && b.tid() < b.storing_threads; r += b.storing_threads)
    b.store_whole(base + r * t.gm_step, tile + r * t.rows.tile_step, t.rows.bytes);
  return true;
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::Tstore::Operands& o) {
  const ScatterAtomicOp op = instr::Tstore::update_op(o);
  const Transfer t(o.src, o.dst);
  auto* base = static_cast<std::byte*>(o.dst.base);
  if (op == ScatterAtomicOp::None && t.whole_rows && store_whole_rows(b, t, base)) return;
  b.note_written();
  const auto rows = [&]<class V>(V) { store_rows<V>(b, t.rows, [&](Count r) { return base + r * t.gm_step; }); };
  if (op == ScatterAtomicOp::None && t.whole_rows && with_step(t.alignment(base), rows)) return;
  each_position(b, o.src, o.src.valid_rows, o.src.valid_cols, [&](std::int64_t r, std::int64_t c) {
    b.update(op, o.src.dtype, at(o.dst, instr::element_offset(o.dst, r, c)), at(b, o.src, r, c));
  });
}

/// One prefetch for each cache line; no data is read or written.
template <class B>
PTO_INTERNAL void body(B& b, const instr::Tprefetch::Operands& o) {
  constexpr std::int64_t line = 128;
  const std::int64_t size = instr::size_of(o.dst.dtype), in_line = line / size;
  const bool dense = o.src.layout == Layout::ND && o.src.stride[4] == 1;
  const std::int64_t cols = o.dst.valid_cols, steps = dense ? (cols + in_line - 1) / in_line : cols;
  const Count n = static_cast<Count>(steps), count = n * static_cast<Count>(o.dst.valid_rows);
  each_mine(b, count, [&](Count i) {
    b.prefetch(at(o.src, instr::element_offset(o.src, i / n, dense ? i % n * in_line : i % n)));
  });
}

}  // namespace pto::instr::cuda
