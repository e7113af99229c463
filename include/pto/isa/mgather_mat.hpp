// SPDX-License-Identifier: Apache-2.0
// MGATHER to L1: gathers rows or elements of a table into a Mat tile, with indices in global memory.
#pragma once

#include <type_traits>

#include "pto/isa/effect.hpp"
#include "pto/isa/rules.hpp"
#include "pto/isa/samples.hpp"
#include "pto/isa/transfer.hpp"
#include "pto/tile/tensor.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// dst[r, :] = table[idx[r], :]          Coalesce::Row
/// dst[r, c] = table[idx[r, c]]          Coalesce::Elem, copied through scratch
struct MgatherMat {
  static constexpr auto mnemonic = "mgather.mat";
  struct Policy {
    CoalesceChoice coalesce = {Coalesce::Row, false};
    GatherOOB oob = GatherOOB::Undefined;
    GatherExec exec = GatherExec::Scalar;
    bool exec_spelled = false;
  };
  struct Operands {
    TileDesc dst;
    TensorDesc table, idx, scratch;
    Policy policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
  using Tab = Field<"table", Role::in, &Operands::table>;
  using Idx = Field<"idx", Role::in, &Operands::idx>;
  using Scr = Field<"scratch", Role::scratch, &Operands::scratch>;
  using OperandList = Fields<Dst, Tab, Idx, Scr>;

  struct c1_same_dtype {
    PTO_RULE("C1", "dst, table and scratch have one element type")
    static constexpr bool holds(const Target&, const Operands& o) {
      return o.dst.dtype == o.table.dtype && (o.policy.coalesce.row() || o.scratch.dtype == o.dst.dtype);
    }
    static void shows(Text& s, const Target&, const Operands& o) {
      s << "dst is " << o.dst.dtype << ", table is " << o.table.dtype << ", scratch is " << o.scratch.dtype;
    }
  };
  struct c2_dtype : supported_dtype<Dst> {
    PTO_RULE("C2", "the target moves elements of this type")
  };
  struct c3_index_dtype : index_dtype<Idx> {
    PTO_RULE("C3", "idx elements are i32 or u32")
  };
  struct c4_in_mat : located<TileType::Mat, Dst> {
    PTO_RULE("C4", "dst is a Mat tile")
  };
  struct c5_nz_tile {
    PTO_RULE("C5", "dst is NZ: ColMajor, RowMajor boxes, fractal 512")
    static constexpr bool holds(const Target&, const Operands& o) { return o.dst.is_nz(); }
    static void shows(Text& s, const Target&, const Operands& o) {
      s << "dst is " << o.dst.blayout << " with " << o.dst.slayout << ", fractal " << o.dst.fractal;
    }
  };
  struct c6_table_layout : table_layout<Tab> {
    PTO_RULE("C6", "table is ND, or NZ or DN where the target takes them")
  };
  struct c7_valid : valid_region<Dst> {
    PTO_RULE("C7", "valid extents are at least 1 and at most the padded ones")
  };
  struct c8_index_shape {
    PTO_RULE("C8", "idx is [1,R] or [R,1] for Row, of dst's valid shape for Elem")
    static constexpr bool holds(const Target&, const Operands& o) {
      const std::int64_t rows = o.idx.rows(), cols = o.idx.cols();
      if (o.policy.coalesce.elem()) return may_equal(rows, o.dst.valid_rows) && may_equal(cols, o.dst.valid_cols);
      return (may_equal(rows, 1) && may_equal(cols, o.dst.valid_rows)) ||
             (may_equal(rows, o.dst.valid_rows) && may_equal(cols, 1));
    }
    static void shows(Text& s, const Target&, const Operands& o) {
      s << "Coalesce::" << name(o.policy.coalesce.mode) << ", dst is " << o.dst << ", idx is " << o.idx.rows() << "x"
        << o.idx.cols();
    }
  };
  struct c9_table_width : table_width<Dst, Tab> {
    PTO_RULE("C9", "Row: a table row holds dst's valid columns, exactly those where rows are packed")
  };
  struct c10_scratch {
    PTO_RULE("C10", "Elem: scratch holds at least as many elements as dst")
    static constexpr bool holds(const Target&, const Operands& o) {
      return o.policy.coalesce.row() || !o.scratch.is_static() || o.scratch.numel() >= o.dst.rows * o.dst.cols;
    }
    static void shows(Text& s, const Target&, const Operands& o) {
      s << "scratch has " << o.scratch.numel() << " elements, dst " << o.dst.rows * o.dst.cols;
    }
  };
  struct c11_exec {
    PTO_RULE("C11", "GatherExec is spelled only where the target has it")
    static constexpr bool holds(const Target& t, const Operands& o) {
      return !o.policy.exec_spelled || t.simt || t.native;
    }
    static void shows(Text& s, const Target& t, const Operands&) {
      s << "GatherExec is spelled. Leave it out on " << t.name;
    }
  };
  struct c12_table_size : size_fits<Tab> {
    PTO_RULE("C12", "table extents are not negative and its bytes count in 63 bits")
  };
  struct c13_index_size : size_fits<Idx> {
    PTO_RULE("C13", "idx extents are not negative and its bytes count in 63 bits")
  };
  struct c14_nz_table : nz_tensor<Tab> {
    PTO_RULE("C14", "NZ table: static Shape[3] = 16 and Shape[4] = C0")
    static constexpr bool holds(const Target& t, const Operands& o) {
      return nz_tensor<Tab>::holds(t, o) && (o.table.layout != Layout::NZ || o.table.static_block);
    }
  };
  struct c15_scratch_size : size_fits<Scr> {
    PTO_RULE("C15", "scratch extents are not negative and its bytes count in 63 bits")
  };
  struct c16_packed_rows : packed_rows<Dst, Tab> {
    PTO_RULE("C16", "Row: Stride[3] is dst's valid columns where the target ignores strides")
  };
  using Rules = RuleList<c1_same_dtype, c2_dtype, c3_index_dtype, c4_in_mat, c5_nz_tile, c6_table_layout, c7_valid,
                         c12_table_size, c13_index_size, c15_scratch_size, c14_nz_table, c8_index_shape, c9_table_width,
                         c16_packed_rows, c10_scratch, c11_exec>;

  /// Whether SIMT lanes execute it.
  static constexpr bool on_lanes(const Target& t, const Operands& o) {
    return t.simt && o.policy.exec == GatherExec::Simt;
  }

  /// The element offset in idx of the index for (r, c).
  static constexpr std::int64_t index_offset(const Operands& o, std::int64_t r, std::int64_t c) {
    if (o.policy.coalesce.elem()) return element_offset(o.idx, r, c);
    return o.idx.rows() == 1 ? element_offset(o.idx, 0, r) : element_offset(o.idx, r, 0);
  }

  template <class M>
  static void meaning(M& m, const Operands& o) {
    const Table table(m.target(), o.table, o.policy.coalesce.mode, o.dst.valid_cols);
    const OutOfRange policy = out_of_range(o.policy.oob);
    const std::int64_t cols = o.dst.valid_cols;
    walk(o.dst.valid_rows, cols, cols, [&](std::int64_t r, std::int64_t c) {
      const Slot slot = remap(m.index(m.at(o.idx, index_offset(o, r, c))), table.capacity(), policy);
      std::byte* to = m.at(o.dst, r, c);
      if (!slot) return m.zero(to, o.dst.dtype);
      std::byte* from = m.at(o.table, table.offset(slot.at, c));
      if (o.policy.coalesce.row()) return m.copy(to, from, o.dst.dtype);
      std::byte* by_way_of = m.at(o.scratch, r * cols + c);
      m.copy(by_way_of, from, o.dst.dtype);
      m.copy(to, by_way_of, o.dst.dtype);
    });
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands& o) {
    return all_on(t, on_lanes(t, o) ? PIPE_V : PIPE_MTE2);
  }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const Table table(m.target(), o.table, o.policy.coalesce.mode, o.dst.valid_cols);
    const OutOfRange policy = out_of_range(o.policy.oob);
    const pipe_t pipe = pipes(m.target(), o).data;
    const std::int64_t cols = o.dst.valid_cols, size = size_of(o.dst.dtype);
    touch(m, sink, pipe, Access::read, Idx::name, o.idx, o.idx.rows(), o.idx.cols());
    walk(o.dst.valid_rows, cols, cols, [&](std::int64_t r, std::int64_t c) {
      const Slot slot = remap(m.index(m.at(o.idx, index_offset(o, r, c))), table.capacity(), policy);
      if (!slot) return;
      sink(Effect{pipe, Access::read, Tab::name, {m.at(o.table, table.offset(slot.at, c)), size}});
      if (o.policy.coalesce.elem()) sink(Effect{pipe, Access::write, Scr::name, {m.at(o.scratch, r * cols + c), size}});
    });
    touch(m, sink, pipe, Access::write, Dst::name, o.dst, 0, o.dst.valid_rows, cols);
  }

  static Lookup lookup(const Target& t, const Operands& o) {
    const Table table(t, o.table, o.policy.coalesce.mode, o.dst.valid_cols);
    return table_lookup(t, table, o.idx.dtype, out_of_range(o.policy.oob), false);
  }
  template <class M, class V>
  static void indices(M& m, const Operands& o, V&& visit) {
    const std::int64_t cols = o.policy.coalesce.row() ? 1 : o.dst.valid_cols;
    walk(o.dst.valid_rows, cols, cols,
         [&](std::int64_t r, std::int64_t c) { visit(m.index(m.at(o.idx, index_offset(o, r, c))), r, c); });
  }

  template <class V>
  static void samples(V&& visit) {
    for (DType d : all_dtypes) {
      visit("Element type", name(d), sample(d));
    }
    Operands elem = sample(DType::f32), simt = elem;
    elem.policy.coalesce.mode = Coalesce::Elem, elem.idx = sample_table(DType::i32, 16, 32);
    simt.policy.exec_spelled = true;
    visit("Form", "Row", sample(DType::f32));
    visit("Form", "Elem, with scratch", elem);
    visit("Form", "GatherExec spelled", simt);
  }
  static constexpr Operands sample(DType d) {
    Operands o{.dst = sample_nz_tile(d, 16, 32),
               .table = sample_table(d, 64, 32),
               .idx = sample_table(DType::i32, 1, 16),
               .scratch = sample_table(d, 16, 32),
               .policy = {}};
    o.dst.loc = TileType::Mat;
    return o;
  }
};

namespace detail {

template <auto... P>
constexpr MgatherMat::Policy mat_policy() {
  static_assert(Policies<P...>::template only<Coalesce, GatherOOB, GatherExec>,
                "MGATHER to Mat takes at most one Coalesce, GatherOOB and GatherExec");
  return {.coalesce = {pick<Coalesce, P...>(Coalesce::Row), false},
          .oob = pick<GatherOOB, P...>(GatherOOB::Undefined),
          .exec = pick<GatherExec, P...>(GatherExec::Scalar),
          .exec_spelled = count_kind<GatherExec, P...> == 1};
}

}  // namespace detail

}  // namespace pto::instr

namespace pto {

/// Gathers into L1 by indices in global memory. Coalesce::Elem copies through `scratch`, which has at least as many
/// elements as `dst`.
template <auto... Policies, instr::TileOperand Dst, instr::TensorOperand Table_, instr::TensorOperand Idx,
          instr::TensorOperand Scratch, PTO_EVENT_TYPES>
AICORE RecordEvent MGATHER(Dst& dst, Table_& table, Idx& idx, Scratch& scratch, PTO_EVENTS) {
  constexpr instr::MgatherMat::Policy policy = instr::detail::mat_policy<Policies...>();
  static_assert(policy.coalesce.row() || !std::is_const_v<typename Scratch::DType>,
                "MGATHER<Coalesce::Elem> to Mat writes scratch: its element type is not const");
  PTO_WAIT_EVENTS;
  if constexpr (policy.coalesce.row())
    instr::issue_typed<instr::MgatherMat, policy>(site, dst, table, idx, table);  // Row uses no scratch
  else
    instr::issue_typed<instr::MgatherMat, policy>(site, dst, table, idx, scratch);
  return {site, policy.exec == GatherExec::Simt};
}

/// The Row form, which needs no scratch.
template <auto... Policies, instr::TileOperand Dst, instr::TensorOperand Table_, instr::TensorOperand Idx,
          PTO_EVENT_TYPES>
AICORE RecordEvent MGATHER(Dst& dst, Table_& table, Idx& idx, PTO_EVENTS) {
  constexpr instr::MgatherMat::Policy policy = instr::detail::mat_policy<Policies...>();
  static_assert(policy.coalesce.row(), "MGATHER<Coalesce::Elem> to Mat takes a GM scratch after idx");
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::MgatherMat, policy>(site, dst, table, idx, table);
  return {site, policy.exec == GatherExec::Simt};
}

}  // namespace pto
