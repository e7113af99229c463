// SPDX-License-Identifier: Apache-2.0
// MSCATTER: scatters a tile into rows or elements of a table in global memory.
#pragma once

#include <type_traits>

#include "pto/isa/effect.hpp"
#include "pto/isa/rules.hpp"
#include "pto/isa/samples.hpp"
#include "pto/isa/simt.hpp"
#include "pto/tile/tensor.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// table[idx[r], :] op= src[r, :]          Coalesce::Row
/// table[idx[r, c]] op= src[r, c]          Coalesce::Elem        op is =, +, max or min
struct Mscatter {
  static constexpr auto mnemonic = "mscatter";
  struct Operands {
    TensorDesc table;
    TileDesc src;
    TileDesc idx;
    ScatterPolicy policy;
  };
  using Tab = Field<"table", Role::inout, &Operands::table>;
  using Src = Field<"src", Role::in, &Operands::src>;
  using Idx = Field<"idx", Role::in, &Operands::idx>;
  using OperandList = Fields<Tab, Src, Idx>;

  struct c1_same_dtype : same_dtype<Src, Tab> {
    PTO_RULE("C1", "src and table have one element type")
  };
  struct c2_dtype : supported_dtype<Src> {
    PTO_RULE("C2", "the target moves elements of this type")
  };
  struct c3_index_dtype : index_dtype<Idx> {
    PTO_RULE("C3", "idx elements are i32 or u32")
  };
  struct c4_in_vec : located<TileType::Vec, Src, Idx> {
    PTO_RULE("C4", "src and idx are Vec tiles")
  };
  struct c5_table_layout : table_layout<Tab> {
    PTO_RULE("C5", "table is ND, or NZ or DN where the target takes them")
  };
  struct c6_tile_layout : tile_matches_table<Src, Tab> {
    PTO_RULE("C6", "src is NZ with an NZ table, else unboxed RowMajor, or ColMajor where taken")
  };
  struct c7_nz_blocks : nz_blocks<Src, Tab> {
    PTO_RULE("C7", "NZ: static Shape[3] = 16 and Shape[4] = C0, src in whole 16 x C0 blocks")
  };
  struct c8_index_unboxed : not_boxed<Idx> {
    PTO_RULE("C8", "idx has no inner boxes")
  };
  struct c9_index_shape : index_shape<Src, Idx> {
    PTO_RULE("C9", "idx is [1,R] or [R,1] for Row, of src's valid shape for Elem")
  };
  struct c10_index_layout : index_layout<Src, Idx> {
    PTO_RULE("C10",
             "idx is RowMajor of whole 32-byte rows, for Row Tile<TileType::Vec, int32_t, 1, R>; where taken also "
             "[R,1] ColMajor or one padded column")
  };
  struct c11_valid : valid_region<Src, Idx> {
    PTO_RULE("C11", "valid extents are at least 1 and at most the padded ones")
  };
  struct c12_table_width : table_width<Src, Tab> {
    PTO_RULE("C12", "Row: a table row holds src's valid columns, exactly those where rows are packed")
  };
  struct c13_packed_rows : packed_rows<Src, Tab> {
    PTO_RULE("C13", "Row: Stride[3] is src's valid columns where the target ignores strides")
  };
  struct c14_aligned : aligned_rows<Src> {
    PTO_RULE("C14", "rows of src take whole 32-byte blocks where the target checks it")
  };
  struct c15_table_size : size_fits<Tab> {
    PTO_RULE("C15", "table extents are not negative and its bytes count in 63 bits")
  };
  struct c16_atomic_dtype {
    PTO_RULE("C16", "the target's atomic unit takes this operation on this element type")
    static constexpr bool holds(const Target& t, const Operands& o) {
      if (o.policy.op == ScatterAtomicOp::None) return true;
      return (o.policy.op == ScatterAtomicOp::Add ? t.add_dtypes : t.max_min_dtypes).has(o.src.dtype);
    }
    static void shows(Text& s, const Target& t, const Operands& o) {
      s << name(o.policy.op) << " on " << o.src.dtype << "; " << t.name << " takes Add on";
      for (DType d : all_dtypes)
        if (t.add_dtypes.has(d)) s << " " << d;
      s << (t.max_min_dtypes.bits ? ", Max and Min on" : ", no Max or Min");
      for (DType d : all_dtypes)
        if (t.max_min_dtypes.has(d)) s << " " << d;
    }
  };
  struct c17_conflict {
    PTO_RULE("C17", "ScatterConflict is spelled only where the target has it")
    static constexpr bool holds(const Target& t, const Operands& o) {
      return t.conflict_policy || !o.policy.conflict_spelled;
    }
    static void shows(Text& s, const Target& t, const Operands& o) {
      s << "ScatterConflict::" << name(o.policy.conflict) << " is spelled. Leave it out on " << t.name
        << ", which writes in source order";
    }
  };
  using Rules = RuleList<c1_same_dtype, c2_dtype, c3_index_dtype, c4_in_vec, c5_table_layout, c6_tile_layout,
                         c7_nz_blocks, c8_index_unboxed, c11_valid, c15_table_size, c9_index_shape, c10_index_layout,
                         c12_table_width, c13_packed_rows, c14_aligned, c16_atomic_dtype, c17_conflict>;

  static constexpr void resolve(Operands& o) {
    infer_coalesce(o.policy.coalesce, o.src, o.idx, o.table);
    o.policy.one_static = o.policy.coalesce.elem() && o.src.valid_rows == 1 && o.src.valid_cols == 1;
  }

  template <class M>
  static void meaning(M& m, const Operands& o) {
    const Coalesce mode = o.policy.coalesce.mode;
    const Table table(m.target(), o.table, mode, o.src.valid_cols);
    const std::int64_t cols = lane_cols(m.target(), o.src, o.table, mode);
    const auto lane = [&](std::int64_t r, std::int64_t c) {
      const Position p = index_position(o.idx, mode, r, c);
      const Slot slot = remap(m.index(o.idx, p.r, p.c), table.capacity(), out_of_range(o.policy.oob));
      if (!slot) return;
      std::byte* to = m.at(o.table, table.offset(slot.at, c));
      if (updates_plainly(m.target(), o))
        m.update_plainly(o.policy.op, to, m.at(o.src, r, c), o.src.dtype);
      else
        m.update(o.policy.op, to, m.at(o.src, r, c), o.src.dtype);
    };
    if (order_is_open(m.target(), o) && m.permutes())
      walk_warps(m, o.src.valid_rows, cols, mode == Coalesce::Row, lane);
    else
      walk(o.src.valid_rows, cols, walk_block(m.target(), o.src, o.table, mode, cols), lane);
  }

  static constexpr HostMove host_move(const Operands& o) {
    return indexed_move(o.src, o.table, o.idx, o.policy.coalesce, out_of_range(o.policy.oob), o.policy.op);
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands& o) {
    return indexed_pipes(t, o.policy.coalesce.row(), o.policy.one_static, PIPE_MTE3);
  }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const Coalesce mode = o.policy.coalesce.mode;
    const IndexedPipes on = pipes(m.target(), o);
    const std::int64_t cols = lane_cols(m.target(), o.src, o.table, mode);
    touch(m, sink, on.index, Access::read, Idx::name, o.idx, 0, o.idx.valid_rows, o.idx.valid_cols);
    const Access access = o.policy.op == ScatterAtomicOp::None ? Access::write : Access::update;
    const Table table(m.target(), o.table, mode, o.src.valid_cols);
    each_lane(m, table, o.idx, o.src.valid_rows, cols, out_of_range(o.policy.oob),
              [&](std::int64_t slot, std::int64_t r, std::int64_t c) {
                if (table.by_row)
                  touch(m, sink, on.data, Access::read, Src::name, o.src, r, 1, cols);
                else
                  sink(Effect{on.data, Access::read, Src::name, {m.at(o.src, r, c), size_of(o.src.dtype)}});
                lane_bytes(m, table, slot, c, cols,
                           [&](const Range& range) { sink(Effect{on.data, access, Tab::name, range}); });
              });
  }

  /// Whether the scalar unit updates elements by separate load, combine and store, between which other cores may write.
  static constexpr bool updates_plainly(const Target& t, const Operands& o) {
    return !t.native && !t.simt && o.policy.coalesce.elem() && o.policy.op != ScatterAtomicOp::None;
  }
  /// Whether SIMT lanes execute it.
  static constexpr bool on_lanes(const Target& t, const Operands& o) { return t.simt && !o.policy.one_static; }

  static constexpr OwnFlags own_flags(const Target& t, const Operands& o) {
    if (t.simt) return scalar_path_flags(o.policy.one_static);
    if (o.policy.coalesce.elem()) return scalar_elem_flags();
    OwnFlags f{{{PIPE_V, PIPE_S}, {PIPE_MTE2, PIPE_S}, {PIPE_S, PIPE_MTE3}},
               {{PIPE_MTE3, PIPE_V}, {PIPE_MTE3, PIPE_MTE2}}};
    if (o.policy.op == ScatterAtomicOp::None) f.after[2] = {PIPE_MTE3, PIPE_S};  // each row waits for the previous one
    return f;
  }

  /// The tile operand that may be accessed past its end, and the end of the accessed bytes.
  static Reach reach(const Target& t, const Operands& o) {
    return {Src::name, o.src, lane_end(t, o.src, o.table, o.policy.coalesce.mode)};
  }
  /// Whether two indices of one slot are reported as `alias`. They are not if the update is atomic, or if the call
  /// requires ScatterConflict::Last explicitly, with which the last one wins.
  static constexpr bool writes_once(const Operands& o) {
    const bool asked_for_last = o.policy.conflict_spelled && o.policy.conflict == ScatterConflict::Last;
    return o.policy.op == ScatterAtomicOp::None && !asked_for_last;
  }
  static Lookup lookup(const Target& t, const Operands& o) {
    const Table table(t, o.table, o.policy.coalesce.mode, o.src.valid_cols);
    Lookup l = table_lookup(t, table, o.idx.dtype, out_of_range(o.policy.oob), true);
    l.writes_once = writes_once(o);
    return l;
  }
  template <class M, class V>
  static void indices(M& m, const Operands& o, V&& visit) {
    each_index(m, o.idx, o.policy.coalesce.mode, o.src.valid_rows, o.src.valid_cols, visit);
  }

  template <class V>
  static void samples(V&& visit) {
    const Operands row = sample(), elem = sample_elem();
    indexed_samples(row, elem, &Operands::src, visit);
    for (int oob = 0; oob < 4; ++oob) {
      Operands o = row;
      o.policy.oob = static_cast<ScatterOOB>(oob);
      visit("Out of range", name(o.policy.oob), o);
    }
    for (DType d : all_dtypes)
      for (int op = 1; op < 4; ++op) {
        Operands o = row;
        o.src = sample_tile(d, 8, 32), o.table = sample_table(d, 64, 32);
        o.policy.op = static_cast<ScatterAtomicOp>(op);
        const char* const groups[] = {"Atomic Add", "Atomic Max", "Atomic Min"};
        visit(groups[op - 1], name(d), o);
      }
    for (ScatterConflict c : {ScatterConflict::Last, ScatterConflict::Default}) {
      Operands o = row;
      o.policy.conflict = c, o.policy.conflict_spelled = true;
      visit("Conflict spelled", name(c), o);
    }
  }
  static constexpr Operands sample() {
    return {.table = sample_table(DType::f32, 64, 32),
            .src = sample_tile(DType::f32, 8, 32),
            .idx = sample_tile(DType::i32, 1, 8),
            .policy = {.coalesce = {Coalesce::Row, false}}};
  }
  static constexpr Operands sample_elem() {
    return {.table = sample_table(DType::f32, 64, 32),
            .src = sample_tile(DType::f32, 8, 32),
            .idx = sample_tile(DType::i32, 8, 32),
            .policy = {.coalesce = {Coalesce::Elem, false}}};
  }

 private:
  /// Whether the machine may process rows or elements in any order: on SIMT lanes, for atomic updates and for
  /// ScatterConflict::Default.
  static constexpr bool order_is_open(const Target& t, const Operands& o) {
    return t.simt && (o.policy.op != ScatterAtomicOp::None || o.policy.conflict == ScatterConflict::Default);
  }
};

}  // namespace pto::instr

namespace pto {

/// Scatters `src` into rows or elements of `table`. Policies, in any order: Coalesce (inferred from the valid shapes if
/// omitted), ScatterAtomicOp, ScatterOOB, ScatterConflict. Waits for the events first.
template <auto... Policies, instr::TensorOperand Table_, instr::TileOperand Src, instr::TileOperand Idx,
          PTO_EVENT_TYPES>
AICORE RecordEvent MSCATTER(Table_& table, Src& src, Idx& idx, PTO_EVENTS) {
  static_assert(!std::is_const_v<typename Table_::DType>, "MSCATTER writes table: its element type is not const");
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Mscatter, instr::scatter_policy<Policies...>()>(site, table, src, idx);
  return {site};
}

}  // namespace pto
