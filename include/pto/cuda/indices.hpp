// SPDX-License-Identifier: Apache-2.0
// Checks the indices of an instruction: their range, multiple and sign.
#pragma once

#include "pto/cuda/share.hpp"
#include "pto/cuda/state.hpp"
#include "pto/isa/mgather.hpp"
#include "pto/isa/mscatter.hpp"
#include "pto/isa/tgather.hpp"
#include "pto/isa/tgatherb.hpp"
#include "pto/isa/tscatter.hpp"

namespace pto::instr::cuda {

/// The indices of an instruction and the values that they may have.
struct Bounds {
  const TileDesc* idx = nullptr;
  Coalesce mode = Coalesce::Elem;
  std::int64_t rows = 0, cols = 0, capacity = 0;
  instr::OutOfRange policy = instr::OutOfRange::undefined;
  std::uint32_t multiple = 1;

  AICORE Count count() const { return static_cast<Count>(rows * cols); }
  // Small functions that are not inlined: a kernel gets registers for everything that it may call, checked or not.
  /// Row and column in the index tile of position i, in source order.
  AICORE __attribute__((noinline)) instr::Position position(Count i) const {
    const Count in_row = static_cast<Count>(cols);
    return instr::index_position(*idx, mode, i / in_row, i % in_row);
  }
  template <class B>
  AICORE __attribute__((noinline)) std::uint32_t value(B& b, Count i) const {
    const instr::Position p = position(i);
    return index_at(b, *idx, p.r, p.c);
  }
  /// The slot of a table that position i selects; negative if there is none.
  template <class B>
  AICORE __attribute__((noinline)) std::int64_t slot(B& b, Count i) const {
    if (idx->boxed()) return instr::Slot::none;  // excluded by rule C8; omits arithmetic for boxed layouts
    const instr::Position p = position(i);
    return instr::remap(index_at(b, *idx, p.r, p.c), capacity, policy).at;
  }
};

AICORE inline Bounds table_bounds(const TileDesc& idx, const TileDesc& data, const TensorDesc& table, Coalesce mode,
                                  instr::OutOfRange policy) {
  return {.idx = &idx,
          .mode = mode,
          .rows = data.valid_rows,
          .cols = mode == Coalesce::Row ? 1 : data.valid_cols,
          .capacity = mode == Coalesce::Row ? table.rows() : table.numel(),
          .policy = policy};
}
AICORE inline Bounds tile_bounds(const TileDesc& idx, std::int64_t capacity, std::uint32_t multiple = 1) {
  return {.idx = &idx, .rows = idx.valid_rows, .cols = idx.valid_cols, .capacity = capacity, .multiple = multiple};
}

AICORE inline Bounds bounds(const instr::Mgather::Operands& o) {
  return table_bounds(o.idx, o.dst, o.table, o.policy.coalesce.mode, instr::out_of_range(o.policy.oob));
}
AICORE inline Bounds bounds(const instr::Mscatter::Operands& o) {
  return table_bounds(o.idx, o.src, o.table, o.policy.coalesce.mode, instr::out_of_range(o.policy.oob));
}
AICORE inline Bounds bounds(const instr::Tgather::Operands& o) { return tile_bounds(o.idx, instr::positions(o.src)); }
AICORE inline Bounds bounds(const instr::Tscatter::Operands& o) { return tile_bounds(o.idx, instr::positions(o.dst)); }
AICORE inline Bounds bounds(const instr::Tgatherb::Operands& o) {
  return tile_bounds(o.offset, o.src.bytes() - 31, 32);
}

template <class B>
AICORE void count_offender(B& b, Offenders& offenders, Count position, std::uint32_t value) {
  b.atomic_add(&offenders.count, 1u);
  b.atomic_max(&offenders.first, ~position);
  b.atomic_max(&offenders.high, value);
}

/// Counts indices that are out of range where no policy defines them, that are not a multiple of `w.multiple`, and
/// negative ones.
template <class B>
AICORE void count_offenders(B& b, const Bounds& w) {
  State& s = b.state();
  const bool defined = w.policy != instr::OutOfRange::undefined;
  each_mine(b, w.count(), [&](Count i) {
    const std::uint32_t value = w.value(b, i);
    if (w.idx->dtype == instr::DType::i32 && static_cast<std::int32_t>(value) < 0)
      count_offender(b, s.negative, i, value);
    const bool outside = w.capacity <= 0 ? w.policy != instr::OutOfRange::drop : value >= w.capacity && !defined;
    if (outside)
      count_offender(b, s.outside, i, value);
    else if (value % w.multiple != 0)
      count_offender(b, s.misaligned, i, value);
  });
}

}  // namespace pto::instr::cuda
