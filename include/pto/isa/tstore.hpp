// SPDX-License-Identifier: Apache-2.0
// TSTORE: stores a tile into a block of global memory.
#pragma once

#include <type_traits>

#include "pto/isa/transfer.hpp"

namespace pto::instr {

/// dst[r, c] = src[r, c], or += with AtomicAdd, over src's valid region.
struct Tstore {
  static constexpr auto mnemonic = "tstore";
  struct Policy {
    AtomicType atomic = AtomicType::AtomicNone;
  };
  struct Operands {
    TensorDesc dst;
    TileDesc src;
    Policy policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
  using Src = Field<"src", Role::in, &Operands::src>;
  using OperandList = Fields<Dst, Src>;

  struct c1_same_dtype : same_dtype<Dst, Src> {
    PTO_RULE("C1", "dst and src have one element type")
  };
  struct c2_location : in_vec_or_mat<Src> {
    PTO_RULE("C2", "src is a Vec or Mat tile")
  };
  struct c3_layout : transfer_layout<Src, Dst> {
    PTO_RULE("C3", "src is laid out as the target stores dst: ND RowMajor, DN ColMajor, NZ NZ, in L1 also ND NZ")
  };
  struct c4_valid : valid_region<Src> {
    PTO_RULE("C4", "valid extents are at least 1 and at most the padded ones")
  };
  struct c5_size : size_fits<Dst> {
    PTO_RULE("C5", "dst extents are not negative and its bytes count in 63 bits")
  };
  struct c6_region : region_fits<Src, Dst> {
    PTO_RULE("C6", "dst holds src's valid region")
  };
  struct c7_one_burst : one_burst<Src, Dst> {
    PTO_RULE("C7", "a src of one padded column stores to contiguous memory")
  };
  struct c8_nz_tensor : nz_tensor<Dst> {
    PTO_RULE("C8", "NZ: Shape[3] = 16 and Shape[4] = C0")
  };
  struct c9_atomic_dtype {
    PTO_RULE("C9", "the target's store adds elements of this type")
    static constexpr bool holds(const Target& t, const Operands& o) {
      return o.policy.atomic == AtomicType::AtomicNone || t.store_add_dtypes.has(o.src.dtype);
    }
    static void shows(Text& s, const Target& t, const Operands& o) {
      s << "AtomicAdd on " << o.src.dtype << "; " << t.name << " adds";
      for (DType d : all_dtypes)
        if (t.store_add_dtypes.has(d)) s << " " << d;
    }
  };
  using Rules = RuleList<c1_same_dtype, c2_location, c3_layout, c4_valid, c5_size, c8_nz_tensor, c6_region,
                         c7_one_burst, c9_atomic_dtype>;

  static constexpr ScatterAtomicOp update_op(const Operands& o) {
    return o.policy.atomic == AtomicType::AtomicAdd ? ScatterAtomicOp::Add : ScatterAtomicOp::None;
  }

  template <class M>
  static void meaning(M& m, const Operands& o) {
    const ScatterAtomicOp op = update_op(o);
    walk(o.src.valid_rows, o.src.valid_cols, o.src.valid_cols, [&](std::int64_t r, std::int64_t c) {
      m.update(op, m.at(o.dst, element_offset(o.dst, r, c)), m.at(o.src, r, c), o.src.dtype);
    });
  }

  template <class M>
  static bool by_region(M& m, const Operands& o) {
    return update_op(o) == ScatterAtomicOp::None && m.copy_region(o.dst, o.src, o.src.valid_rows, o.src.valid_cols);
  }

  static constexpr HostMove host_move(const Operands& o) {
    HostMove m = transfer_move(o.src, o.dst);
    m.op = update_op(o);
    return m;
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_MTE3); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    const Access access = o.policy.atomic == AtomicType::AtomicNone ? Access::write : Access::update;
    touch(m, sink, pipe, Access::read, Src::name, o.src, 0, o.src.valid_rows, o.src.valid_cols);
    touch(m, sink, pipe, access, Dst::name, o.dst, o.src.valid_rows, o.src.valid_cols);
  }

  template <class V>
  static void samples(V&& visit) {
    const Operands plain{sample_table(DType::f32, 16, 32), sample_tile(DType::f32, 16, 32), {}};
    transfer_samples(plain, &Operands::src, &Operands::dst, visit);
    for (DType d : all_dtypes)
      visit("AtomicAdd", name(d), Operands{sample_table(d, 16, 32), sample_tile(d, 16, 32), {AtomicType::AtomicAdd}});
  }
};

namespace detail {

template <AtomicType atomic, class Dst, class Src>
AICORE void store(Dst& dst, Src& src, Site site) {
  static_assert(!std::is_const_v<typename Dst::DType>, "TSTORE writes dst: its element type is not const");
  issue_typed<Tstore, Tstore::Policy{atomic}>(site, dst, src);
}

}  // namespace detail

}  // namespace pto::instr

namespace pto {

/// Stores the valid region of `src` to `dst`; `TSTORE<AtomicType::AtomicAdd>` adds it to `dst`.
template <auto... Atomic, instr::TensorOperand Dst, instr::TileOperand Src, PTO_EVENT_TYPES>
AICORE RecordEvent TSTORE(Dst& dst, Src& src, PTO_EVENTS) {
  static_assert(instr::detail::Policies<Atomic...>::template only<AtomicType>, "TSTORE takes at most one AtomicType");
  PTO_WAIT_EVENTS;
  instr::detail::store<instr::detail::pick<AtomicType, Atomic...>(AtomicType::AtomicNone)>(dst, src, site);
  return {site};
}

/// Overload with explicit operand types.
template <instr::TileOperand Src, instr::TensorOperand Dst, AtomicType atomic, PTO_EVENT_TYPES>
AICORE RecordEvent TSTORE(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::detail::store<atomic>(dst, src, site);
  return {site};
}

}  // namespace pto
