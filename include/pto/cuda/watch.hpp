// SPDX-License-Identifier: Apache-2.0
// Which indices of an instruction are out of range, in a block that is checked?
#pragma once

#include "pto/cuda/say.hpp"
#include "pto/cuda/share.hpp"

namespace pto::cuda {

/// What the indices of an instruction may be.
struct Bounds {
  const TileDesc* idx = nullptr;
  Coalesce mode = Coalesce::Elem;
  std::int64_t rows = 0, cols = 0, capacity = 0;
  instr::OutOfRange policy = instr::OutOfRange::undefined;
  std::uint32_t multiple = 1;
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

template <class B>
AICORE void count_offenders(B& b, const Bounds& w) {
  State& s = b.state();
  const Count cols = static_cast<Count>(w.cols);
  const bool defined = w.policy != instr::OutOfRange::undefined;
  each_mine(b, static_cast<Count>(w.rows) * cols, [&](Count i) {
    const instr::Position p = instr::index_position(*w.idx, w.mode, i / cols, i % cols);
    const std::uint32_t value = index_at(b, *w.idx, p.r, p.c);
    if (w.idx->dtype == instr::DType::i32 && static_cast<std::int32_t>(value) < 0)
      count_offender(b, s.negative, i, value);
    const bool outside = w.capacity <= 0 ? w.policy != instr::OutOfRange::drop : value >= w.capacity && !defined;
    if (outside)
      count_offender(b, s.outside, i, value);
    else if (value % w.multiple != 0)
      count_offender(b, s.misaligned, i, value);
  });
}

template <class I>
AICORE void report_offenders(const Offenders& offenders, Found::Kind kind, const Bounds& w,
                             const typename I::Operands& o, instr::Site site) {
  if (offenders.count == 0) return;
  Block b;
  const Count first = ~offenders.first, cols = static_cast<Count>(w.cols);
  const instr::Position p = instr::index_position(*w.idx, w.mode, first / cols, first % cols);
  Finding f = finding<I>(kind, "idx", o);
  f.count = offenders.count;
  f.value[0] = index_at(b, *w.idx, p.r, p.c), f.value[1] = p.r, f.value[2] = p.c, f.value[3] = offenders.high;
  report(f, site);
}

/// Tells of indices out of range where no policy defines them, off their grid, and negative ones.
template <class I>
AICORE __attribute__((noinline)) void watch_indices(typename I::Operands o, instr::Site site) {
  Block b;
  State& s = b.state();
  const Bounds w = bounds(o);
  if (b.tid() == 0) s.outside = s.misaligned = s.negative = {};
  b.sync();
  count_offenders(b, w);
  b.sync();
  report_offenders<I>(s.outside, Found::Kind::index_outside, w, o, site);
  report_offenders<I>(s.misaligned, Found::Kind::index_misaligned, w, o, site);
  report_offenders<I>(s.negative, Found::Kind::index_negative, w, o, site);
  b.sync();
}

}  // namespace pto::cuda
