// SPDX-License-Identifier: Apache-2.0
// copy_cbuf_to_gm: copies bursts from L1 to global memory, given by addresses instead of a tile and a tensor.
#pragma once

#include <cstdint>

#include "pto/isa/effect.hpp"
#include "pto/isa/flags.hpp"
#include "pto/isa/instr.hpp"

namespace pto::instr {

/// for each burst b: dst[b * dst_pitch + i] = src[b * src_pitch + i], 0 <= i < burst; in bytes
struct CopyCbufToGm {
  static constexpr auto mnemonic = "copy_cbuf_to_gm";
  static constexpr std::int64_t block = BLOCK_BYTE_SIZE;
  struct Bursts {
    std::int64_t count = 0, bytes = 0, src_pitch = 0, dst_pitch = 0;
    bool from_l1 = true;  ///< src is an address in L1
  };
  struct Operands {
    TensorDesc dst;
    TileDesc src;
    Bursts policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
  using Src = Field<"src", Role::in, &Operands::src>;
  using OperandList = Fields<Dst, Src>;

  struct c1_path {
    PTO_RULE("C1", "the target has a path from L1 to global memory")
    static constexpr bool holds(const Target& t, const Operands&) { return t.l1_to_gm; }
    static void shows(Text& s, const Target& t, const Operands&) {
      s << t.name << " has none. Pass the tile to a vector core, which stores it";
    }
  };
  struct c2_source {
    PTO_RULE("C2", "src is an address in L1, such as data() of a Mat tile")
    static constexpr bool holds(const Target&, const Operands& o) { return o.policy.from_l1; }
    static void shows(Text& s, const Target&, const Operands& o) {
      s << "src lies outside L1, for " << o.policy.count << " bursts of " << o.policy.bytes << " bytes";
    }
  };
  using Rules = RuleList<c1_path, c2_source>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(o.policy.count, o.policy.bytes, o.policy.bytes, [&](std::int64_t b, std::int64_t i) {
      m.copy(m.at(o.dst, b * o.policy.dst_pitch + i), m.at(o.src, 0, b * o.policy.src_pitch + i), DType::u8);
    });
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_MTE3); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    const pipe_t pipe = pipes(m.target(), o).data;
    const Bursts& p = o.policy;
    sink(Effect{pipe, Access::read, Src::name, {m.at(o.src, 0, 0), p.bytes, p.src_pitch, p.count}});
    sink(Effect{pipe, Access::write, Dst::name, {m.at(o.dst, 0), p.bytes, p.dst_pitch, p.count}});
  }
};

}  // namespace pto::instr

#ifndef __CUDACC__

/// The address of a tile's bytes, from `Tile::data()`.
template <class T>
PTO_INST constexpr T __cce_get_tile_ptr(T data) {
  return data;
}

/// Copies `bursts` runs of `blocks` blocks of 32 bytes from L1 to global memory on MTE3. Between two runs `src_gap` and
/// `dst_gap` blocks are left out.
template <class Dst, class Src>
PTO_INST void copy_cbuf_to_gm(Dst* dst, const Src* src, std::uint8_t /*sid*/, std::uint16_t bursts,
                              std::uint16_t blocks, std::uint16_t src_gap, std::uint16_t dst_gap,
                              pto::instr::Site site = pto::instr::Site::current()) {
  using pto::instr::CopyCbufToGm;
  // Depends on Dst, so that a call is an error and not this header.
  constexpr bool has_path = sizeof(Dst*) == 0 || pto::instr::detail::compiled_for.l1_to_gm;
  if constexpr (pto::instr::detail::target_given) (void)sizeof(pto::instr::Require<CopyCbufToGm::c1_path, has_path>);
  if (bursts == 0 || blocks == 0) return;
  CopyCbufToGm::Bursts p{.count = bursts,
                         .bytes = blocks * CopyCbufToGm::block,
                         .src_pitch = (blocks + src_gap) * CopyCbufToGm::block,
                         .dst_pitch = (blocks + dst_gap) * CopyCbufToGm::block};
  const std::int64_t span = (p.count - 1) * p.src_pitch + p.bytes, written = (p.count - 1) * p.dst_pitch + p.bytes;
  CopyCbufToGm::Operands o{.dst = {.dtype = pto::instr::DType::u8,
                                   .shape = {1, 1, 1, 1, written},
                                   .stride = {written, written, written, written, 1},
                                   .base = dst},
                           .src = {.dtype = pto::instr::DType::u8,
                                   .loc = pto::TileType::Mat,
                                   .raw = true,
                                   .rows = 1,
                                   .cols = span,
                                   .valid_rows = 1,
                                   .valid_cols = span,
                                   .offset = pto::instr::detail::offset_in(pto::TileType::Mat, src)},
                           .policy = p};
  o.policy.from_l1 = o.src.offset >= 0;
  pto::instr::issue<CopyCbufToGm>(o, pto::instr::detail::everywhere, true, site);
}

#endif
