// SPDX-License-Identifier: Apache-2.0
// TMOV: copies one tile into another.
#pragma once

#include <algorithm>

#include "pto/isa/effect.hpp"
#include "pto/isa/samples.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// dst[r, c] = src[r, c], over the valid rows and columns that dst and src share
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
  struct c2_locations : located<TileType::Vec, Dst, Src> {
    PTO_RULE("C2", "dst and src are Vec tiles; on cpu src may be a Mat tile")
    static constexpr bool holds(const Target& t, const Operands& o) {
      const bool from_l1 = o.src.loc == TileType::Mat && t.native;
      return o.dst.loc == TileType::Vec && (o.src.loc == TileType::Vec || from_l1);
    }
  };
  struct c3_valid : valid_region<Dst, Src> {
    PTO_RULE("C3", "valid extents are at least 1 and at most the padded ones")
  };
  struct c4_same_valid : same_valid<Dst, Src> {
    PTO_RULE("C4", "dst and src have one valid shape unless src is a Mat tile")
    static constexpr bool holds(const Target& t, const Operands& o) {
      return o.src.loc == TileType::Mat || same_valid<Dst, Src>::holds(t, o);
    }
  };
  using Rules = RuleList<c1_same_dtype, c2_locations, c3_valid, c4_same_valid>;

  static constexpr std::int64_t rows(const Operands& o) { return std::min(o.dst.valid_rows, o.src.valid_rows); }
  static constexpr std::int64_t cols(const Operands& o) { return std::min(o.dst.valid_cols, o.src.valid_cols); }

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(rows(o), cols(o), cols(o),
         [&](std::int64_t r, std::int64_t c) { m.copy(m.at(o.dst, r, c), m.at(o.src, r, c), o.dst.dtype); });
  }

  template <class M>
  static bool by_region(M& m, const Operands& o) {
    return m.copy_region(o.dst, o.src, rows(o), cols(o));
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    touch(m, sink, pipe, Access::read, Src::name, o.src, 0, rows(o), cols(o));
    touch(m, sink, pipe, Access::write, Dst::name, o.dst, 0, rows(o), cols(o));
  }

  template <class V>
  static void samples(V&& visit) {
    for (DType d : all_dtypes)
      visit("Element type", name(d), Operands{sample_tile(d, 8, 32), sample_tile(d, 8, 32), {}});
    Operands from_l1{sample_tile(DType::f32, 16, 32), sample_nz_tile(DType::f32, 16, 32), {}};
    visit("Location of src", "Vec", Operands{sample_tile(DType::f32, 8, 32), sample_tile(DType::f32, 8, 32), {}});
    from_l1.src.loc = TileType::Mat;
    visit("Location of src", "Mat", from_l1);
  }
};

}  // namespace pto::instr

namespace pto {

/// Copies the valid region of `src` to `dst`. On cpu `src` may lie in L1 (a Mat tile, NZ or not); then the rows and
/// columns that are valid in both tiles are copied.
template <instr::TileOperand Dst, instr::TileOperand Src, PTO_EVENT_TYPES>
AICORE RecordEvent TMOV(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Tmov, instr::NoPolicy{}>(site, dst, src);
  return {site};
}

}  // namespace pto
