// SPDX-License-Identifier: Apache-2.0
// TGATHERB: gathers 32-byte blocks of one tile into another, by byte offset.
#pragma once

#include "pto/isa/effect.hpp"
#include "pto/isa/samples.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// dst block (r, k) = the 32 bytes of src at byte offset[r, k]
struct Tgatherb {
  static constexpr auto mnemonic = "tgatherb";
  struct Operands {
    TileDesc dst, src, offset;
    NoPolicy policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
  using Src = Field<"src", Role::in, &Operands::src>;
  using Off = Field<"offset", Role::in, &Operands::offset>;
  using OperandList = Fields<Dst, Src, Off>;

  /// The number of 32-byte blocks in a valid row of dst; the last one may be partial.
  static constexpr std::int64_t blocks(const TileDesc& dst) {
    return known(dst.valid_cols) ? (dst.valid_cols * size_of(dst.dtype) + 31) / 32 : unknown;
  }

  struct c1_same_dtype : same_dtype<Dst, Src> {
    PTO_RULE("C1", "dst and src have one element type")
  };
  struct c2_offset_dtype : index_dtype<Off> {
    PTO_RULE("C2", "offset elements are i32 or u32")
  };
  struct c3_in_vec : located<TileType::Vec, Dst, Src, Off> {
    PTO_RULE("C3", "dst, src and offset are Vec tiles")
  };
  struct c4_row_major {
    PTO_RULE("C4", "dst, src and offset are RowMajor without boxes, dst and src in 32-byte rows")
    static constexpr bool plain(const TileDesc& t) { return t.blayout == BLayout::RowMajor && !t.boxed(); }
    static constexpr bool holds(const Target&, const Operands& o) {
      return plain(o.dst) && plain(o.src) && plain(o.offset) && !o.dst.one_column() && !o.src.one_column();
    }
    static void shows(Text& s, const Target&, const Operands& o) {
      s << "dst is " << o.dst << ", src is " << o.src << ", offset is " << o.offset;
    }
  };
  struct c5_valid : valid_region<Dst, Src, Off> {
    PTO_RULE("C5", "valid extents are at least 1 and at most the padded ones")
  };
  struct c6_offset_shape {
    PTO_RULE("C6", "offset has one element for each 32-byte block of dst's valid rows")
    static constexpr bool holds(const Target&, const Operands& o) {
      return may_equal(o.offset.valid_rows, o.dst.valid_rows) && may_equal(o.offset.valid_cols, blocks(o.dst));
    }
    static void shows(Text& s, const Target&, const Operands& o) {
      s << "dst is " << o.dst << " of " << blocks(o.dst) << " blocks a row, offset is " << o.offset;
    }
  };
  using Rules = RuleList<c1_same_dtype, c2_offset_dtype, c3_in_vec, c4_row_major, c5_valid, c6_offset_shape>;

  /// Calls visit(r, c, from) for each element of dst: its source is byte `from` of src; a negative `from` means none.
  template <class M, class V>
  static void each_element(M& m, const Operands& o, V&& visit) {
    const std::int64_t size = size_of(o.dst.dtype), per_block = 32 / size;
    walk(o.dst.valid_rows, o.dst.valid_cols, o.dst.valid_cols, [&](std::int64_t r, std::int64_t c) {
      const std::int64_t block = m.index(o.offset, r, c / per_block);
      const bool inside = block % 32 == 0 && block + 32 <= o.src.bytes();
      visit(r, c, inside ? block + c % per_block * size : -1);
    });
  }

  template <class M>
  static void meaning(M& m, const Operands& o) {
    const std::int64_t size = size_of(o.dst.dtype);
    each_element(m, o, [&](std::int64_t r, std::int64_t c, std::int64_t from) {
      if (from >= 0)
        m.copy(m.at(o.dst, r, c), m.at(o.src, from / size / o.src.cols, from / size % o.src.cols), o.dst.dtype);
      else
        m.zero(m.at(o.dst, r, c), o.dst.dtype);
    });
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    const std::int64_t size = size_of(o.dst.dtype);
    touch(m, sink, pipe, Access::read, Off::name, o.offset, 0, o.offset.valid_rows, o.offset.valid_cols);
    each_element(m, o, [&](std::int64_t, std::int64_t, std::int64_t from) {
      if (from < 0) return;
      const std::byte* at = m.at(o.src, from / size / o.src.cols, from / size % o.src.cols);
      sink(Effect{pipe, Access::read, Src::name, {at, size}});
    });
    touch(m, sink, pipe, Access::write, Dst::name, o.dst, 0, o.dst.valid_rows, o.dst.valid_cols);
  }

  static Lookup lookup(const Target&, const Operands& o) {
    return {.index = Off::name,
            .is_signed = o.offset.dtype == DType::i32,
            .does = "reads src at byte",
            .capacity = o.src.bytes() - 31,
            .has = "src has blocks that begin below byte",
            .slots = "",
            .policy = OutOfRange::undefined,
            .defined_by = "Nothing defines this",
            .multiple = 32};
  }
  template <class M, class V>
  static void indices(M& m, const Operands& o, V&& visit) {
    each_index(m, o.offset, Coalesce::Elem, o.offset.valid_rows, o.offset.valid_cols, visit);
  }

  template <class V>
  static void samples(V&& visit) {
    for (DType d : all_dtypes) {
      const TileDesc t = sample_tile(d, 8, 64);
      TileDesc offset = sample_tile(DType::u32, 8, 8);
      offset.valid_cols = blocks(t);
      if (offset.valid_cols > offset.cols) offset.cols = offset.valid_cols;
      visit("Element type", name(d), Operands{t, t, offset, {}});
    }
  }
};

}  // namespace pto::instr

namespace pto {

/// Gathers 32-byte blocks. An offset outside `src`, or one that is not a multiple of 32, yields zeros and, in a checked
/// launch, a finding.
template <instr::TileOperand Dst, instr::TileOperand Src, instr::TileOperand Off, PTO_EVENT_TYPES>
AICORE RecordEvent TGATHERB(Dst& dst, Src& src, Off& offset, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_typed<instr::Tgatherb, instr::NoPolicy{}>(site, dst, src, offset);
  return {site};
}

}  // namespace pto
