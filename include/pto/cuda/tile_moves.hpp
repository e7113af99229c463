// SPDX-License-Identifier: Apache-2.0
// Instructions that move data between tiles, executed by all threads of a block.
#pragma once

#include "pto/cuda/last.hpp"
#include "pto/cuda/share.hpp"
#include "pto/isa/texpands.hpp"
#include "pto/isa/tgather.hpp"
#include "pto/isa/tgatherb.hpp"
#include "pto/isa/tmov.hpp"
#include "pto/isa/tscatter.hpp"

namespace pto::instr::cuda {

template <class B>
PTO_INTERNAL void body(B& b, const instr::Tmov::Operands& o) {
  each_position(b, o.dst, o.dst.valid_rows, o.dst.valid_cols, [&](std::int64_t r, std::int64_t c) {
    copy_element(at(b, o.dst, r, c), at(b, o.src, r, c), instr::size_of(o.dst.dtype));
  });
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::Texpands::Operands& o) {
  each_position(b, o.dst, o.dst.valid_rows, o.dst.valid_cols, [&](std::int64_t r, std::int64_t c) {
    set_element(at(b, o.dst, r, c), o.policy.bits, instr::size_of(o.dst.dtype));
  });
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::Tgather::Operands& o) {
  const std::int64_t size = instr::size_of(o.dst.dtype);
  each_position(b, o.dst, o.dst.valid_rows, o.dst.valid_cols, [&](std::int64_t r, std::int64_t c) {
    const instr::Slot slot =
        instr::remap(index_at(b, o.idx, r, c), instr::positions(o.src), instr::OutOfRange::undefined);
    const instr::Position from = instr::position_in(o.src, slot.at);
    if (slot)
      copy_element(at(b, o.dst, r, c), at(b, o.src, from.r, from.c), size);
    else
      set_element(at(b, o.dst, r, c), 0, size);
  });
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::Tgatherb::Operands& o) {
  const std::int64_t size = instr::size_of(o.dst.dtype), in_block = 32 / size;
  each_position(b, o.dst, o.dst.valid_rows, o.dst.valid_cols, [&](std::int64_t r, std::int64_t c) {
    const std::int64_t block = index_at(b, o.offset, r, c / in_block);
    if (block % 32 == 0 && block + 32 <= o.src.bytes())
      copy_element(at(b, o.dst, r, c), b.ub() + o.src.offset + block + c % in_block * size, size);
    else
      set_element(at(b, o.dst, r, c), 0, size);
  });
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::Tscatter::Operands& o) {
  const Count cols = static_cast<Count>(o.src.valid_cols);
  last_of_each(
      b, static_cast<Count>(o.src.valid_rows) * cols,
      [&](Count i) {
        return instr::remap(index_at(b, o.idx, i / cols, i % cols), instr::positions(o.dst),
                            instr::OutOfRange::undefined)
            .at;
      },
      [&](Count i, std::int64_t slot) {
        const instr::Position to = instr::position_in(o.dst, slot);
        copy_element(at(b, o.dst, to.r, to.c), at(b, o.src, i / cols, i % cols), instr::size_of(o.dst.dtype));
      });
}

/// Calls visit(r, c, k) for this thread's part of the elements of `wide` whose column c the mask keeps; c is the k-th
/// such column.
template <class B, class V>
PTO_INTERNAL void each_kept(B& b, const TileDesc& wide, MaskPattern mask, V&& visit) {
  each_position(b, wide, wide.valid_rows, wide.valid_cols, [&](std::int64_t r, std::int64_t c) {
    if (instr::keeps(mask, c)) visit(r, c, instr::kept(mask, c));
  });
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::TgatherMask::Operands& o) {
  each_kept(b, o.src, o.policy, [&](std::int64_t r, std::int64_t c, std::int64_t k) {
    copy_element(at(b, o.dst, r, k), at(b, o.src, r, c), instr::size_of(o.dst.dtype));
  });
}

template <class B>
PTO_INTERNAL void body(B& b, const instr::TscatterMask::Operands& o) {
  each_kept(b, o.dst, o.policy, [&](std::int64_t r, std::int64_t c, std::int64_t k) {
    copy_element(at(b, o.dst, r, c), at(b, o.src, r, k), instr::size_of(o.dst.dtype));
  });
}

}  // namespace pto::instr::cuda
