// SPDX-License-Identifier: Apache-2.0
// Random loads, stores and moves between tiles.
#pragma once

#include "cuda/plain_machine.hpp"
#include "random/any_operands.hpp"

namespace ptox::cuda_test {

using namespace pto::instr;
using random_test::any_tensor;
using random_test::any_tile;
using random_test::one_to;

/// Random contents of a buffer and of global memory, and non-overlapping tiles in the buffer.
struct Arena {
  static constexpr std::size_t bytes = 64 * 1024;

  Random random;
  DType dtype;
  Bytes ub, gm;
  std::int64_t top = 32;

  explicit Arena(std::uint64_t seed) : random(seed), dtype(all_dtypes[random.below(12)]), ub(bytes), gm(bytes) {
    for (auto& b : ub) b = static_cast<std::uint8_t>(random.next());
    for (auto& b : gm) b = static_cast<std::uint8_t>(random.next());
  }
  TileDesc place(TileDesc t) {
    t.offset = top;
    top = (top + t.bytes() + 32 + 31) / 32 * 32;
    return t;
  }
  TileDesc tile(std::int64_t rows, std::int64_t cols) { return place(any_tile(random, dtype, rows, cols)); }
  /// A tile of random indices below `end`.
  TileDesc indices(std::int64_t rows, std::int64_t cols, std::int64_t end) {
    const TileDesc t = place(any_tile(random, random.below(2) ? DType::i32 : DType::u32, rows, cols));
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      const auto value = static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(end)));
      std::memcpy(PlainMachine(ub).at(t, i / cols, i % cols), &value, sizeof value);
    }
    return t;
  }
  /// Random extents; about half of the widths are multiples of 16 elements, which are moved in pieces of 16 bytes.
  std::int64_t some_rows() { return one_to(random, 20); }
  std::int64_t some_cols() { return random.below(2) ? one_to(random, 40) : 16 * one_to(random, 4); }
};

inline void make(Arena& a, Tload::Operands& o) {
  o.dst = a.tile(a.some_rows(), a.some_cols());
  o.dst.pad = static_cast<pto::PadValue>(a.random.below(4));
  o.src = any_tensor(a.random, a.dtype, o.dst.valid_rows, o.dst.valid_cols);
}
inline void make(Arena& a, Tstore::Operands& o) {
  o.src = a.tile(a.some_rows(), a.some_cols());
  o.dst = any_tensor(a.random, a.dtype, o.src.valid_rows, o.src.valid_cols);
  const bool add = a.random.below(3) == 0 && target::cuda.store_add_dtypes.has(a.dtype);
  o.policy.atomic = add ? pto::AtomicType::AtomicAdd : pto::AtomicType::AtomicNone;
}
inline void make(Arena& a, Tmov::Operands& o) {
  o.dst = a.tile(a.some_rows(), a.some_cols()), o.src = a.tile(o.dst.valid_rows, o.dst.valid_cols);
}
inline void make(Arena& a, Texpands::Operands& o) {
  o.dst = a.tile(a.some_rows(), a.some_cols()), o.policy.bits = a.random.next();
}
inline void make(Arena& a, Tgather::Operands& o) {
  o.dst = a.tile(one_to(a.random, 9), one_to(a.random, 20)), o.src = a.tile(one_to(a.random, 9), one_to(a.random, 20));
  o.idx = a.indices(o.dst.valid_rows, o.dst.valid_cols, positions(o.src) + 2);
}
inline void make(Arena& a, Tscatter::Operands& o) {
  o.dst = a.tile(one_to(a.random, 9), one_to(a.random, 20)), o.src = a.tile(one_to(a.random, 9), one_to(a.random, 20));
  o.idx = a.indices(o.src.valid_rows, o.src.valid_cols, positions(o.dst) + 2);
}
inline void make(Arena& a, Tgatherb::Operands& o) {
  const std::int64_t c0 = 32 / size_of(a.dtype), rows = one_to(a.random, 6), blocks = one_to(a.random, 5);
  const std::int64_t cols = (blocks - 1) * c0 + one_to(a.random, c0);
  o.dst = a.place({.dtype = a.dtype, .rows = rows, .cols = blocks * c0, .valid_rows = rows, .valid_cols = cols});
  o.src = a.place({.dtype = a.dtype, .rows = 4, .cols = 2 * c0, .valid_rows = 4, .valid_cols = 2 * c0});
  o.offset = a.place({.dtype = DType::u32, .rows = rows, .cols = 8, .valid_rows = rows, .valid_cols = blocks});
  for (std::int64_t i = 0; i < rows * blocks; ++i) {
    const auto value = static_cast<std::uint32_t>(a.random.below(40) * 8);
    std::memcpy(PlainMachine(a.ub).at(o.offset, i / blocks, i % blocks), &value, sizeof value);
  }
}
template <class O>
void make_mask(Arena& a, O& o, TileDesc& narrow, TileDesc& wide) {
  o.policy = static_cast<pto::MaskPattern>(1 + a.random.below(7));
  wide = a.tile(one_to(a.random, 9), 3 + one_to(a.random, 20));
  narrow = a.tile(wide.valid_rows, kept(o.policy, wide.valid_cols));
}
inline void make(Arena& a, TgatherMask::Operands& o) { make_mask(a, o, o.dst, o.src); }
inline void make(Arena& a, TscatterMask::Operands& o) { make_mask(a, o, o.src, o.dst); }

/// Operands that are legal on cuda. The base of a tensor is `gm`.
template <class I>
typename I::Operands legal_operands(Arena& a, void* gm) {
  for (;;) {
    typename I::Operands o{};
    a.top = 32;
    make(a, o);
    I::OperandList::each(o, [&]<class D>(auto, D& d) {
      if constexpr (std::is_same_v<D, TensorDesc>) d.base = gm;
    });
    if (I::Rules::hold(target::cuda, o)) return o;
  }
}

/// The instructions for which there are cases.
using TileInstructions =
    InstructionList<Tload, Tstore, Tmov, Texpands, Tgather, Tscatter, Tgatherb, TgatherMask, TscatterMask>;

}  // namespace ptox::cuda_test
