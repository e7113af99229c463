// SPDX-License-Identifier: Apache-2.0
// MGATHER: gathers rows or elements of a table in global memory into a tile.
#pragma once

#include "pto/isa/effect.hpp"
#include "pto/isa/rules.hpp"
#include "pto/isa/samples.hpp"
#include "pto/tile/tensor.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// dst[r, :] = table[idx[r], :]          Coalesce::Row
/// dst[r, c] = table[idx[r, c]]          Coalesce::Elem
struct Mgather {
  static constexpr auto mnemonic = "mgather";
  struct Operands {
    TileDesc dst;
    TensorDesc table;
    TileDesc idx;
    GatherPolicy policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
  using Tab = Field<"table", Role::in, &Operands::table>;
  using Idx = Field<"idx", Role::in, &Operands::idx>;
  using OperandList = Fields<Dst, Tab, Idx>;

  struct c1_same_dtype : same_dtype<Dst, Tab> {
    PTO_RULE("C1", "dst and table have one element type")
  };
  struct c2_dtype : supported_dtype<Dst> {
    PTO_RULE("C2", "the target moves elements of this type")
  };
  struct c3_index_dtype : index_dtype<Idx> {
    PTO_RULE("C3", "idx elements are i32 or u32")
  };
  struct c4_in_vec : located<TileType::Vec, Dst, Idx> {
    PTO_RULE("C4", "dst and idx are Vec tiles")
  };
  struct c5_table_layout : table_layout<Tab> {
    PTO_RULE("C5", "table is ND, or NZ or DN where the target takes them")
  };
  struct c6_tile_layout : tile_matches_table<Dst, Tab> {
    PTO_RULE("C6", "dst is NZ with an NZ table, else unboxed RowMajor, or ColMajor where taken")
  };
  struct c7_nz_blocks : nz_blocks<Dst, Tab> {
    PTO_RULE("C7", "NZ: static Shape[3] = 16 and Shape[4] = C0, dst in whole 16 x C0 blocks")
  };
  struct c8_index_unboxed : not_boxed<Idx> {
    PTO_RULE("C8", "idx has no inner boxes")
  };
  struct c9_index_shape : index_shape<Dst, Idx> {
    PTO_RULE("C9", "idx is [1,R] or [R,1] for Row, of dst's valid shape for Elem")
  };
  struct c10_index_layout : index_layout<Dst, Idx> {
    PTO_RULE("C10",
             "idx is RowMajor of whole 32-byte rows, for Row Tile<TileType::Vec, int32_t, 1, R>; where taken also "
             "[R,1] ColMajor or one padded column")
  };
  struct c11_valid : valid_region<Dst, Idx> {
    PTO_RULE("C11", "valid extents are at least 1 and at most the padded ones")
  };
  struct c12_table_width : table_width<Dst, Tab> {
    PTO_RULE("C12", "Row: a table row holds dst's valid columns, exactly those where rows are packed")
  };
  struct c13_packed_rows : packed_rows<Dst, Tab> {
    PTO_RULE("C13", "Row: Stride[3] is dst's valid columns where the target ignores strides")
  };
  struct c14_aligned : aligned_rows<Dst> {
    PTO_RULE("C14", "rows of dst take whole 32-byte blocks where the target checks it")
  };
  struct c15_table_size : size_fits<Tab> {
    PTO_RULE("C15", "table extents are not negative and its bytes count in 63 bits")
  };
  using Rules = RuleList<c1_same_dtype, c2_dtype, c3_index_dtype, c4_in_vec, c5_table_layout, c6_tile_layout,
                         c7_nz_blocks, c8_index_unboxed, c11_valid, c15_table_size, c9_index_shape, c10_index_layout,
                         c12_table_width, c13_packed_rows, c14_aligned>;

  static constexpr void resolve(Operands& o) {
    infer_coalesce(o.policy.coalesce, o.dst, o.idx, o.table);
    o.policy.one_static = o.policy.coalesce.elem() && o.dst.valid_rows == 1 && o.dst.valid_cols == 1;
  }

  template <class M>
  static void meaning(M& m, const Operands& o) {
    const Coalesce mode = o.policy.coalesce.mode;
    const Table table(m.target(), o.table, mode, o.dst.valid_cols);
    const std::int64_t cols = lane_cols(m.target(), o.dst, o.table, mode);
    if (clears_first(m.target(), o)) clear(m, o.dst);
    walk(o.dst.valid_rows, cols, walk_block(m.target(), o.dst, o.table, mode, cols),
         [&](std::int64_t r, std::int64_t c) {
           const Position p = index_position(o.idx, mode, r, c);
           const Slot slot = remap(m.index(o.idx, p.r, p.c), table.capacity(), out_of_range(o.policy.oob));
           if (slot)
             m.copy(m.at(o.dst, r, c), m.at(o.table, table.offset(slot.at, c)), o.dst.dtype);
           else
             m.zero(m.at(o.dst, r, c), o.dst.dtype);
         });
  }

  static constexpr HostMove host_move(const Operands& o) {
    return indexed_move(o.dst, o.table, o.idx, o.policy.coalesce, out_of_range(o.policy.oob));
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands& o) {
    return indexed_pipes(t, o.policy.coalesce.row(), o.policy.one_static, PIPE_MTE2);
  }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const Coalesce mode = o.policy.coalesce.mode;
    const IndexedPipes on = pipes(m.target(), o);
    const std::int64_t cols = lane_cols(m.target(), o.dst, o.table, mode);
    touch(m, sink, on.index, Access::read, Idx::name, o.idx, 0, o.idx.valid_rows, o.idx.valid_cols);
    const Table table(m.target(), o.table, mode, o.dst.valid_cols);
    each_lane(m, table, o.idx, o.dst.valid_rows, cols, out_of_range(o.policy.oob),
              [&](std::int64_t slot, std::int64_t, std::int64_t c) {
                lane_bytes(m, table, slot, c, cols,
                           [&](const Range& range) { sink(Effect{on.data, Access::read, Tab::name, range}); });
              });
    if (clears_first(m.target(), o))
      touch(m, sink, on.data, Access::write, Dst::name, o.dst, 0, o.dst.rows, o.dst.cols);
    touch(m, sink, on.data, Access::write, Dst::name, o.dst, 0, o.dst.valid_rows, cols);
  }

  /// Whether SIMT lanes execute it.
  static constexpr bool on_lanes(const Target& t, const Operands& o) { return t.simt && !o.policy.one_static; }

  static constexpr OwnFlags own_flags(const Target& t, const Operands& o) {
    if (t.simt) return scalar_path_flags(o.policy.one_static);
    if (o.policy.coalesce.elem()) return scalar_elem_flags();
    return {{{PIPE_V, PIPE_S}, {PIPE_MTE3, PIPE_S}},
            {{PIPE_S, PIPE_MTE2}, {PIPE_MTE2, PIPE_V}, {PIPE_MTE2, PIPE_MTE3}, {PIPE_S, PIPE_V}, {PIPE_S, PIPE_MTE3}}};
  }

  /// The tile operand that may be accessed past its end, and the end of the accessed bytes.
  static Reach reach(const Target& t, const Operands& o) {
    return {Dst::name, o.dst, lane_end(t, o.dst, o.table, o.policy.coalesce.mode)};
  }
  static Lookup lookup(const Target& t, const Operands& o) {
    const Table table(t, o.table, o.policy.coalesce.mode, o.dst.valid_cols);
    return table_lookup(t, table, o.idx.dtype, out_of_range(o.policy.oob), false);
  }
  template <class M, class V>
  static void indices(M& m, const Operands& o, V&& visit) {
    each_index(m, o.idx, o.policy.coalesce.mode, o.dst.valid_rows, o.dst.valid_cols, visit);
  }

  template <class V>
  static void samples(V&& visit) {
    const Operands row = sample(), elem = sample_elem();
    indexed_samples(row, elem, &Operands::dst, visit);
    for (int oob = 0; oob < 4; ++oob) {
      Operands o = row;
      o.policy.oob = static_cast<GatherOOB>(oob);
      visit("Out of range", name(o.policy.oob), o);
    }
  }
  static constexpr Operands sample() {
    return {.dst = sample_tile(DType::f32, 8, 32),
            .table = sample_table(DType::f32, 64, 32),
            .idx = sample_tile(DType::i32, 1, 8),
            .policy = {.coalesce = {Coalesce::Row, false}}};
  }
  static constexpr Operands sample_elem() {
    return {.dst = sample_tile(DType::f32, 8, 32),
            .table = sample_table(DType::f32, 64, 32),
            .idx = sample_tile(DType::i32, 8, 32),
            .policy = {.coalesce = {Coalesce::Elem, false}}};
  }

 private:
  static constexpr bool clears_first(const Target& t, const Operands& o) {
    return t.nz_rows_whole && o.table.layout == Layout::NZ && o.policy.coalesce.row() &&
           o.policy.oob == GatherOOB::Zero;
  }
};

}  // namespace pto::instr

namespace pto {

/// Gathers rows or elements of `table` into `dst`. Policies, in any order: Coalesce (inferred from the valid shapes if
/// omitted) and GatherOOB. Waits for the events first.
template <auto... Policies, instr::TileOperand Dst, instr::TensorOperand Table_, instr::TileOperand Idx,
          PTO_EVENT_TYPES>
AICORE RecordEvent MGATHER(Dst& dst, Table_& table, Idx& idx, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Mgather, instr::gather_policy<Policies...>()>(site, dst, table, idx);
  return {site};
}

}  // namespace pto
