// SPDX-License-Identifier: Apache-2.0
// TSCATTER: scatters elements of one tile into another, by index or by mask.
#pragma once

#include "pto/isa/tile_index.hpp"

namespace pto::instr {

/// dst[idx[r, c]] = src[r, c] in source order, where an index counts the elements of dst row by row
struct Tscatter {
  static constexpr auto mnemonic = "tscatter";
  struct Operands {
    TileDesc dst, src, idx;
    NoPolicy policy;
  };
  using Dst = Field<"dst", Role::inout, &Operands::dst>;
  using Src = Field<"src", Role::in, &Operands::src>;
  using Idx = Field<"idx", Role::in, &Operands::idx>;
  using OperandList = Fields<Dst, Src, Idx>;

  struct c1_same_dtype : same_dtype<Dst, Src> {
    PTO_RULE("C1", "dst and src have one element type")
  };
  struct c2_dtype : supported_dtype<Dst> {
    PTO_RULE("C2", "the target moves elements of this type")
  };
  struct c3_index_dtype : index_dtype<Idx> {
    PTO_RULE("C3", "idx elements are i32 or u32")
  };
  struct c4_in_vec : located<TileType::Vec, Dst, Src, Idx> {
    PTO_RULE("C4", "dst, src and idx are Vec tiles")
  };
  struct c5_valid : valid_region<Dst, Src, Idx> {
    PTO_RULE("C5", "valid extents are at least 1 and at most the padded ones")
  };
  struct c6_same_valid : same_valid<Src, Idx> {
    PTO_RULE("C6", "src and idx have one valid shape")
  };
  using Rules = RuleList<c1_same_dtype, c2_dtype, c3_index_dtype, c4_in_vec, c5_valid, c6_same_valid>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(o.src.valid_rows, o.src.valid_cols, o.src.valid_cols, [&](std::int64_t r, std::int64_t c) {
      const Slot slot = remap(m.index(o.idx, r, c), positions(o.dst), OutOfRange::undefined);
      const Position to = position_in(o.dst, slot.at);
      if (slot) m.copy(m.at(o.dst, to.r, to.c), m.at(o.src, r, c), o.dst.dtype);
    });
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    touch(m, sink, pipe, Access::read, Idx::name, o.idx, 0, o.idx.valid_rows, o.idx.valid_cols);
    walk(o.src.valid_rows, o.src.valid_cols, o.src.valid_cols, [&](std::int64_t r, std::int64_t c) {
      const Slot slot = remap(m.index(o.idx, r, c), positions(o.dst), OutOfRange::undefined);
      const Position to = position_in(o.dst, slot.at);
      if (!slot) return;
      sink(Effect{pipe, Access::read, Src::name, {m.at(o.src, r, c), size_of(o.src.dtype)}});
      sink(Effect{pipe, Access::write, Dst::name, {m.at(o.dst, to.r, to.c), size_of(o.dst.dtype)}});
    });
  }

  static Lookup lookup(const Target&, const Operands& o) {
    return tile_lookup(o.idx.dtype, "writes dst element", "dst has", positions(o.dst));
  }
  template <class M, class V>
  static void indices(M& m, const Operands& o, V&& visit) {
    each_index(m, o.idx, Coalesce::Elem, o.idx.valid_rows, o.idx.valid_cols, visit);
  }

  template <class V>
  static void samples(V&& visit) {
    const TileDesc t = sample_tile(DType::f32, 8, 32);
    tile_index_samples(Operands{t, t, sample_tile(DType::i32, 8, 32), {}}, visit);
  }
};

/// dst[r, c] = src[r, k] where c is the k-th column that the mask keeps; the other columns are unchanged
struct TscatterMask {
  static constexpr auto mnemonic = "tscatter.mask";
  struct Operands {
    TileDesc dst, src;
    MaskPattern policy;
  };
  using Dst = Field<"dst", Role::inout, &Operands::dst>;
  using Src = Field<"src", Role::in, &Operands::src>;
  using OperandList = Fields<Dst, Src>;

  struct c1_same_dtype : same_dtype<Dst, Src> {
    PTO_RULE("C1", "dst and src have one element type")
  };
  struct c2_in_vec : located<TileType::Vec, Dst, Src> {
    PTO_RULE("C2", "dst and src are Vec tiles")
  };
  struct c3_valid : valid_region<Dst, Src> {
    PTO_RULE("C3", "valid extents are at least 1 and at most the padded ones")
  };
  struct c4_mask : mask_fits<Src, Dst> {
    PTO_RULE("C4", "src has dst's valid rows and as many valid columns as the mask keeps")
  };
  using Rules = RuleList<c1_same_dtype, c2_in_vec, c3_valid, c4_mask>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    for (std::int64_t r = 0; r < o.dst.valid_rows; ++r)
      for (std::int64_t c = 0, k = 0; c < o.dst.valid_cols; ++c)
        if (keeps(o.policy, c)) m.copy(m.at(o.dst, r, c), m.at(o.src, r, k++), o.dst.dtype);
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    touch(m, sink, pipe, Access::read, Src::name, o.src, 0, o.src.valid_rows, o.src.valid_cols);
    for (std::int64_t r = 0; r < o.dst.valid_rows; ++r)
      for (std::int64_t c = 0; c < o.dst.valid_cols; ++c)
        if (keeps(o.policy, c)) sink(Effect{pipe, Access::write, Dst::name, {m.at(o.dst, r, c), size_of(o.dst.dtype)}});
  }

  template <class V>
  static void samples(V&& visit) {
    mask_samples<Operands>(&Operands::src, &Operands::dst, visit);
  }
};

}  // namespace pto::instr

namespace pto {

/// Scatters elements of `src` to their row-major positions in `dst`; the last write to a position wins. An index
/// outside the tile is skipped and, in a checked launch, reported.
template <instr::TileOperand Dst, instr::TileOperand Src, instr::TileOperand Idx, PTO_EVENT_TYPES>
AICORE RecordEvent TSCATTER(Dst& dst, Src& src, Idx& idx, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Tscatter, instr::NoPolicy{}>(site, dst, src, idx);
  return {site};
}

/// Scatters to the columns that `mask` keeps.
template <MaskPattern mask, instr::TileOperand Dst, instr::TileOperand Src, PTO_EVENT_TYPES>
AICORE RecordEvent TSCATTER(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::TscatterMask, mask>(site, dst, src);
  return {site};
}

/// Overload with explicit operand types.
template <instr::TileOperand Dst, instr::TileOperand Src, MaskPattern mask, PTO_EVENT_TYPES>
AICORE RecordEvent TSCATTER(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::TscatterMask, mask>(site, dst, src);
  return {site};
}

}  // namespace pto
