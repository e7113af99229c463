// SPDX-License-Identifier: Apache-2.0
// comm::TREDUCE: the root combines the tensors of all ranks in ascending order of rank numbers.
#pragma once

#include "pto/comm/chunks.hpp"
#include "pto/comm/signal_ops.hpp"

namespace pto::instr {

/// acc[r, c] = acc[r, c] op recv[r, c]
struct Treduce {
  static constexpr auto mnemonic = "treduce";
  struct Policy {
    comm::ReduceOp op = comm::ReduceOp::Sum;
  };
  struct Operands {
    TileDesc acc, recv;
    Policy policy;
  };
  using Acc = Field<"acc", Role::inout, &Operands::acc>;
  using Recv = Field<"recv", Role::in, &Operands::recv>;
  using OperandList = Fields<Acc, Recv>;

  struct c1_same_dtype : same_dtype<Acc, Recv> {
    PTO_RULE("C1", "acc and recv have one element type")
  };
  struct c2_location : located<TileType::Vec, Acc, Recv> {
    PTO_RULE("C2", "acc and recv are Vec tiles")
  };
  struct c3_reducible {
    PTO_RULE("C3", "elements are reduced that the target can add: no 8-bit float, on machines no 64-bit element")
    static constexpr bool holds(const Target& t, const Operands& o) {
      constexpr DTypeSet wide{DType::i64, DType::u64, DType::f64};
      return ptox::target::nine.has(o.acc.dtype) || (t.native && wide.has(o.acc.dtype));
    }
    static void shows(Text& s, const Target&, const Operands& o) { s << "acc is " << o.acc.dtype; }
  };
  struct c4_valid : valid_region<Acc, Recv> {
    PTO_RULE("C4", "valid extents are at least 1 and at most the padded ones")
  };
  struct c5_same_valid : same_valid<Acc, Recv> {
    PTO_RULE("C5", "acc and recv have the same valid region")
  };
  struct c6_layout {
    PTO_RULE("C6", "acc and recv have one layout")
    static constexpr bool holds(const Target&, const Operands& o) {
      return o.acc.blayout == o.recv.blayout && o.acc.slayout == o.recv.slayout;
    }
    static void shows(Text& s, const Target&, const Operands& o) {
      s << "acc is " << o.acc.blayout << ", recv is " << o.recv.blayout;
    }
  };
  using Rules = RuleList<c1_same_dtype, c2_location, c3_reducible, c4_valid, c5_same_valid, c6_layout>;

  static constexpr ScatterAtomicOp update_op(const Operands& o) {
    constexpr ScatterAtomicOp ops[] = {ScatterAtomicOp::Add, ScatterAtomicOp::Max, ScatterAtomicOp::Min};
    return ops[static_cast<int>(o.policy.op)];
  }

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(o.acc.valid_rows, o.acc.valid_cols, o.acc.valid_cols, [&](std::int64_t r, std::int64_t c) {
      m.update(update_op(o), m.at(o.acc, r, c), m.at(o.recv, r, c), o.acc.dtype);
    });
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    touch(m, sink, pipe, Access::read, Recv::name, o.recv, 0, o.recv.valid_rows, o.recv.valid_cols);
    touch(m, sink, pipe, Access::read, Acc::name, o.acc, 0, o.acc.valid_rows, o.acc.valid_cols);
    touch(m, sink, pipe, Access::write, Acc::name, o.acc, 0, o.acc.valid_rows, o.acc.valid_cols);
  }

  template <class V>
  static void samples(V&& visit) {
    for (DType d : all_dtypes)
      visit("Element type", name(d), Operands{sample_tile(d, 8, 32), sample_tile(d, 8, 32), {}});
  }
};

}  // namespace pto::instr

namespace pto::comm {

namespace detail {
void reduce(const Tensors& group, const instr::TensorDesc& dst, const instr::TileDesc& acc, const Staging& recv,
            ReduceOp op, instr::Site site);

template <class TileT>
void check_reduce() {
  static constexpr instr::Treduce::Operands o{chunk_type(TileT::type_desc()), chunk_type(TileT::type_desc()), {}};
  instr::detail::require_rules<instr::Treduce, o, instr::legal_on<instr::Treduce>(o)>();
}
}  // namespace detail

/// dst[d0, d1, d2, i, j] = src(0)[...] op src(1)[...] op ..., evaluated from left to right. Only the root calls it. The
/// chunk of rank 0 is loaded into `acc`; those of the other ranks are loaded into `recv` and combined into `acc`.
template <class G, instr::TensorOperand Dst, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TREDUCE(ParallelGroup<G>& group, Dst& dst, TileT& acc, TileT& recv, ReduceOp op, PTO_EVENTS) {
  detail::check_types<TileT, G, Dst>(), detail::check_reduce<TileT>();
  PTO_WAIT_EVENTS;
  detail::reduce(detail::tensors_of(group), dst.desc(), acc.desc(site), detail::staging_of(site, recv), op, site);
  return {site};
}

/// The same with two receiving tiles that are used alternately: one is combined while the other is loaded.
template <class G, instr::TensorOperand Dst, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TREDUCE(ParallelGroup<G>& group, Dst& dst, TileT& acc, TileT& ping, TileT& pong, ReduceOp op, PTO_EVENTS) {
  detail::check_types<TileT, G, Dst>(), detail::check_reduce<TileT>();
  PTO_WAIT_EVENTS;
  detail::reduce(detail::tensors_of(group), dst.desc(), acc.desc(site), detail::staging_of(site, ping, pong), op, site);
  return {site};
}

}  // namespace pto::comm
