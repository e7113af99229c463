// SPDX-License-Identifier: Apache-2.0
// TGATHER: gathers elements of one tile into another, by index or by mask.
#pragma once

#include "pto/isa/tile_index.hpp"

namespace pto::instr {

/// dst[r, c] = src[idx[r, c]], where an index counts the elements of src row by row
struct Tgather {
  static constexpr auto mnemonic = "tgather";
  struct Operands {
    TileDesc dst, src, idx;
    NoPolicy policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
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
  struct c6_same_valid : same_valid<Dst, Idx> {
    PTO_RULE("C6", "dst and idx have one valid shape")
  };
  using Rules = RuleList<c1_same_dtype, c2_dtype, c3_index_dtype, c4_in_vec, c5_valid, c6_same_valid>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(o.dst.valid_rows, o.dst.valid_cols, o.dst.valid_cols, [&](std::int64_t r, std::int64_t c) {
      const Slot slot = remap(m.index(o.idx, r, c), positions(o.src), OutOfRange::undefined);
      const Position from = position_in(o.src, slot.at);
      if (slot)
        m.copy(m.at(o.dst, r, c), m.at(o.src, from.r, from.c), o.dst.dtype);
      else
        m.zero(m.at(o.dst, r, c), o.dst.dtype);
    });
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    touch(m, sink, pipe, Access::read, Idx::name, o.idx, 0, o.idx.valid_rows, o.idx.valid_cols);
    walk(o.dst.valid_rows, o.dst.valid_cols, o.dst.valid_cols, [&](std::int64_t r, std::int64_t c) {
      const Slot slot = remap(m.index(o.idx, r, c), positions(o.src), OutOfRange::undefined);
      const Position from = position_in(o.src, slot.at);
      if (slot) sink(Effect{pipe, Access::read, Src::name, {m.at(o.src, from.r, from.c), size_of(o.src.dtype)}});
    });
    touch(m, sink, pipe, Access::write, Dst::name, o.dst, 0, o.dst.valid_rows, o.dst.valid_cols);
  }

  static Lookup lookup(const Target&, const Operands& o) {
    return tile_lookup(o.idx.dtype, "reads src element", "src has", positions(o.src));
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

/// dst[r, k] = src[r, c] where c is the k-th column that the mask keeps
struct TgatherMask {
  static constexpr auto mnemonic = "tgather.mask";
  struct Operands {
    TileDesc dst, src;
    MaskPattern policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
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
  struct c4_mask : mask_fits<Dst, Src> {
    PTO_RULE("C4", "dst has src's valid rows and as many valid columns as the mask keeps")
  };
  using Rules = RuleList<c1_same_dtype, c2_in_vec, c3_valid, c4_mask>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    for (std::int64_t r = 0; r < o.src.valid_rows; ++r)
      for (std::int64_t c = 0, k = 0; c < o.src.valid_cols; ++c)
        if (keeps(o.policy, c)) m.copy(m.at(o.dst, r, k++), m.at(o.src, r, c), o.dst.dtype);
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    for (std::int64_t r = 0; r < o.src.valid_rows; ++r)
      for (std::int64_t c = 0; c < o.src.valid_cols; ++c)
        if (keeps(o.policy, c)) sink(Effect{pipe, Access::read, Src::name, {m.at(o.src, r, c), size_of(o.src.dtype)}});
    touch(m, sink, pipe, Access::write, Dst::name, o.dst, 0, o.dst.valid_rows, o.dst.valid_cols);
  }

  template <class V>
  static void samples(V&& visit) {
    mask_samples<Operands>(&Operands::dst, &Operands::src, visit);
  }
};

}  // namespace pto::instr

namespace pto {

/// Gathers elements of `src` by their row-major position. An index outside the tile yields zero and, in a checked
/// launch, a finding.
template <instr::TileOperand Dst, instr::TileOperand Src, instr::TileOperand Idx, PTO_EVENT_TYPES>
AICORE RecordEvent TGATHER(Dst& dst, Src& src, Idx& idx, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Tgather, instr::NoPolicy{}>(site, dst, src, idx);
  return {site};
}

/// Overload with the scratch tile that some machines require; its bytes are not accessed here.
template <instr::TileOperand Dst, instr::TileOperand Src, instr::TileOperand Idx, instr::TileOperand Tmp,
          PTO_EVENT_TYPES>
AICORE RecordEvent TGATHER(Dst& dst, Src& src, Idx& idx, Tmp&, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Tgather, instr::NoPolicy{}>(site, dst, src, idx);
  return {site};
}

/// Gathers the columns that `mask` keeps.
template <MaskPattern mask, instr::TileOperand Dst, instr::TileOperand Src, PTO_EVENT_TYPES>
AICORE RecordEvent TGATHER(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::TgatherMask, mask>(site, dst, src);
  return {site};
}

/// Overload with explicit operand types.
template <instr::TileOperand Dst, instr::TileOperand Src, MaskPattern mask, PTO_EVENT_TYPES>
AICORE RecordEvent TGATHER(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::TgatherMask, mask>(site, dst, src);
  return {site};
}

}  // namespace pto
