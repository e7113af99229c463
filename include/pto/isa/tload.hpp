// SPDX-License-Identifier: Apache-2.0
// TLOAD: loads a block of global memory into a tile.
#pragma once

#include "pto/isa/transfer.hpp"

namespace pto::instr {

/// dst[r, c] = src[r, c] over dst's valid region; with a PadValue the rest of dst takes that value.
struct Tload {
  static constexpr auto mnemonic = "tload";
  struct Operands {
    TileDesc dst;
    TensorDesc src;
    NoPolicy policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
  using Src = Field<"src", Role::in, &Operands::src>;
  using OperandList = Fields<Dst, Src>;

  struct c1_same_dtype : same_dtype<Dst, Src> {
    PTO_RULE("C1", "dst and src have one element type")
  };
  struct c2_location : in_vec_or_mat<Dst> {
    PTO_RULE("C2", "dst is a Vec or Mat tile")
  };
  struct c3_layout : transfer_layout<Dst, Src> {
    PTO_RULE("C3", "dst is laid out as the target loads src: ND RowMajor, DN ColMajor, NZ NZ, in L1 also ND NZ")
  };
  struct c4_valid : valid_region<Dst> {
    PTO_RULE("C4", "valid extents are at least 1 and at most the padded ones")
  };
  struct c5_size : size_fits<Src> {
    PTO_RULE("C5", "src extents are not negative and its bytes count in 63 bits")
  };
  struct c6_region : region_fits<Dst, Src> {
    PTO_RULE("C6", "src holds dst's valid region")
  };
  struct c7_one_burst : one_burst<Dst, Src> {
    PTO_RULE("C7", "a dst of one padded column loads from contiguous memory")
  };
  struct c8_nz_tensor : nz_tensor<Src> {
    PTO_RULE("C8", "NZ: Shape[3] = 16 and Shape[4] = C0")
  };
  using Rules =
      RuleList<c1_same_dtype, c2_location, c3_layout, c4_valid, c5_size, c8_nz_tensor, c6_region, c7_one_burst>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(o.dst.rows, o.dst.cols, o.dst.cols, [&](std::int64_t r, std::int64_t c) {
      if (r < o.dst.valid_rows && c < o.dst.valid_cols)
        m.copy(m.at(o.dst, r, c), m.at(o.src, element_offset(o.src, r, c)), o.dst.dtype);
      else if (o.dst.pad != PadValue::Null)
        m.set(m.at(o.dst, r, c), o.dst.dtype, pad_bits(o.dst.dtype, o.dst.pad));
    });
  }

  template <class M>
  static bool by_region(M& m, const Operands& o) {
    const TileDesc& t = o.dst;
    if (!m.copy_region(t, o.src, t.valid_rows, t.valid_cols)) return false;
    if (t.pad == PadValue::Null) return true;
    const std::uint64_t bits = pad_bits(t.dtype, t.pad);
    return m.fill_region(t, 0, t.valid_cols, t.valid_rows, t.cols - t.valid_cols, bits) &&
           m.fill_region(t, t.valid_rows, 0, t.rows - t.valid_rows, t.cols, bits);
  }

  static constexpr HostMove host_move(const Operands& o) {
    return o.dst.pad == PadValue::Null ? transfer_move(o.dst, o.src) : HostMove{};
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_MTE2); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const bool padded = o.dst.pad != PadValue::Null;
    const pipe_t pipe = pipes(m.target(), o).data;
    touch(m, sink, pipe, Access::read, Src::name, o.src, o.dst.valid_rows, o.dst.valid_cols);
    touch(m, sink, pipe, Access::write, Dst::name, o.dst, 0, padded ? o.dst.rows : o.dst.valid_rows,
          padded ? o.dst.cols : o.dst.valid_cols);
  }

  template <class V>
  static void samples(V&& visit) {
    const Operands plain{sample_tile(DType::f32, 16, 32), sample_table(DType::f32, 16, 32), {}};
    transfer_samples(plain, &Operands::dst, &Operands::src, visit);
  }
};

}  // namespace pto::instr

namespace pto {

/// Loads the valid region of `dst` from `src` and pads the rest if the type of `dst` has a PadValue.
template <instr::TileOperand Dst, instr::TensorOperand Src, PTO_EVENT_TYPES>
AICORE RecordEvent TLOAD(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Tload, instr::NoPolicy{}>(site, dst, src);
  return {site};
}

}  // namespace pto
