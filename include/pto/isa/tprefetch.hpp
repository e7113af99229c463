// SPDX-License-Identifier: Apache-2.0
// TPREFETCH: prefetches a block of global memory into the caches.
#pragma once

#include "pto/isa/transfer.hpp"

namespace pto::instr {

/// dst = dst; the part of src that has dst's valid extents is prefetched into the caches
struct Tprefetch {
  static constexpr auto mnemonic = "tprefetch";
  struct Operands {
    TileDesc dst;
    TensorDesc src;
    NoPolicy policy;
  };
  using Dst = Field<"dst", Role::scratch, &Operands::dst>;
  using Src = Field<"src", Role::in, &Operands::src>;
  using OperandList = Fields<Dst, Src>;

  struct c1_same_dtype : same_dtype<Dst, Src> {
    PTO_RULE("C1", "dst and src have one element type")
  };
  struct c2_valid : valid_region<Dst> {
    PTO_RULE("C2", "valid extents are at least 1 and at most the padded ones")
  };
  struct c3_size : size_fits<Src> {
    PTO_RULE("C3", "src extents are not negative and its bytes count in 63 bits")
  };
  struct c4_region : region_fits<Dst, Src> {
    PTO_RULE("C4", "src holds dst's valid region")
  };
  using Rules = RuleList<c1_same_dtype, c2_valid, c3_size, c4_region>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(o.dst.valid_rows, o.dst.valid_cols, o.dst.valid_cols,
         [&](std::int64_t r, std::int64_t c) { m.prefetch(m.at(o.src, element_offset(o.src, r, c))); });
  }

  static constexpr HostMove host_move(const Operands& o) {
    HostMove m = detail::move_of_rows(o.dst, o.src);
    if (m.gm_step == m.row_bytes) m.row_bytes *= m.rows, m.rows = 1;
    return m;
  }

  /// Requests a prefetch of the rows on the host: through `hints`, which may delay it, or immediately if `hints` is
  /// nullptr.
  static void ask_for(const HostMove& m, const void* src, Hints* hints) {
    const auto* row = static_cast<const std::byte*>(src);
    for (std::int64_t r = 0; r < m.rows; ++r, row += m.gm_step)
      hints ? hints->ask(row, m.row_bytes) : Hints::fetch(row, m.row_bytes);
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_MTE2); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    touch(m, sink, pipes(m.target(), o).data, Access::read, Src::name, o.src, o.dst.valid_rows, o.dst.valid_cols);
  }

  template <class V>
  static void samples(V&& visit) {
    visit("Form", "TPREFETCH(tile, tensor)",
          Operands{sample_tile(DType::f32, 8, 32), sample_table(DType::f32, 8, 32), {}});
  }
};

}  // namespace pto::instr

namespace pto {

/// Prefetches the part of `src` that has the valid extents of `dst`. No byte of `dst` or of global memory changes.
template <instr::TileOperand Dst, instr::TensorOperand Src, PTO_EVENT_TYPES>
AICORE RecordEvent TPREFETCH(Dst& dst, Src& src, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Tprefetch, instr::NoPolicy{}>(site, dst, src);
  return {site};
}

}  // namespace pto
