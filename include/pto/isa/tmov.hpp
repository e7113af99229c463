// SPDX-License-Identifier: Apache-2.0
// TMOV: copies one tile into another.
#pragma once

#include "pto/isa/effect.hpp"
#include "pto/isa/samples.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// dst[r, c] = src[r, c]
struct Tmov {
  static constexpr auto mnemonic = "tmov";
  struct Operands {
    TileDesc dst, src;
    NoPolicy policy;
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
  struct c4_same_valid : same_valid<Dst, Src> {
    PTO_RULE("C4", "dst and src have one valid shape")
  };
  using Rules = RuleList<c1_same_dtype, c2_in_vec, c3_valid, c4_same_valid>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(o.dst.valid_rows, o.dst.valid_cols, o.dst.valid_cols,
         [&](std::int64_t r, std::int64_t c) { m.copy(m.at(o.dst, r, c), m.at(o.src, r, c), o.dst.dtype); });
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    touch(m, sink, pipe, Access::read, Src::name, o.src, 0, o.src.valid_rows, o.src.valid_cols);
    touch(m, sink, pipe, Access::write, Dst::name, o.dst, 0, o.dst.valid_rows, o.dst.valid_cols);
  }

  template <class V>
  static void samples(V&& visit) {
    for (DType d : all_dtypes)
      visit("Element type", name(d), Operands{sample_tile(d, 8, 32), sample_tile(d, 8, 32), {}});
  }
};

}  // namespace pto::instr

namespace pto {

/// Copies the valid region of `src` to `dst`.
template <instr::TileOperand Dst, instr::TileOperand Src, PTO_EVENT_TYPES>
AICORE RecordEvent TMOV(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Tmov, instr::NoPolicy{}>(site, dst, src);
  return {site};
}

}  // namespace pto
