// SPDX-License-Identifier: Apache-2.0
// Random operands for legality tests: the samples of the manual with up to four changes.
#pragma once

#include <random>
#include <vector>

#include "asm/text/type_text.hpp"
#include "pto/isa/all.hpp"

namespace ptox::assembly::testing {

/// A deterministic random number generator that is the same on every platform.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T, std::size_t N>
  T of(const T (&values)[N]) {
    return values[below(static_cast<int>(N))];
  }

 private:
  std::mt19937 engine_;
};

inline DType any_dtype(Dice& dice) { return dice.of(pto::instr::all_dtypes); }

inline void change_layout(TileDesc& t, Dice& dice) {
  t.blayout = static_cast<pto::BLayout>(dice.below(2));
  t.slayout = static_cast<pto::SLayout>(dice.below(3));
  t.fractal = dice.of({512, 512, 1024, 32, 64});
}
inline void change_shape(TileDesc& t, Dice& dice) {
  const std::int64_t rows = dice.of({1, 8, 16, 32}), cols = dice.of({1, 8, 16, 32, 48});
  t.rows = t.valid_rows = rows, t.cols = t.valid_cols = cols;
  if (dice.one_in(3)) t.blayout = static_cast<pto::BLayout>(dice.below(2));
  if (dice.one_in(2)) t.cols = (cols + 7) / 8 * 8;
  if (dice.one_in(4)) t.rows = (rows + 7) / 8 * 8;
}
inline void change_valid(TileDesc& t, Dice& dice) {
  std::int64_t& extent = dice.one_in(2) ? t.valid_rows : t.valid_cols;
  const std::int64_t padded = &extent == &t.valid_rows ? t.rows : t.cols;
  extent = dice.of({padded - 1, padded, padded + 1, std::int64_t{0}, std::int64_t{1}, pto::instr::unknown});
  if (extent < 0 && pto::instr::known(extent)) extent = 0;
}
inline void mutate(TileDesc& t, Dice& dice) {
  switch (dice.below(7)) {
    case 0:
      t.dtype = any_dtype(dice);
      break;
    case 1:
      t.loc = static_cast<pto::TileType>(dice.below(10));
      break;
    case 2:
      change_layout(t, dice);
      break;
    case 3:
      change_shape(t, dice);
      break;
    case 4:
      t.pad = static_cast<pto::PadValue>(dice.below(4));
      break;
    default:
      change_valid(t, dice);
  }
}

/// Gives the tensor packed strides in the order of its layout.
inline void pack(TensorDesc& t) {
  if (t.layout == pto::Layout::DN) std::swap(t.shape[3], t.shape[4]);
  const auto packed = packed_strides(t.shape);
  std::copy(packed.begin(), packed.end(), t.stride);
  if (t.layout == pto::Layout::DN) std::swap(t.shape[3], t.shape[4]), std::swap(t.stride[3], t.stride[4]);
}
inline void change_layout(TensorDesc& t, Dice& dice) {
  t.layout = static_cast<pto::Layout>(dice.below(3));
  if (t.layout == pto::Layout::NZ) t = pto::instr::sample_nz_table(t.dtype, 64, 64);
  if (t.layout == pto::Layout::DN) pack(t);
}
inline void change_extent(TensorDesc& t, Dice& dice) {
  const std::int64_t huge = std::int64_t{1} << 40, most = INT64_MAX;
  t.shape[dice.one_in(2) ? dice.below(5) : 3 + dice.below(2)] =
      dice.of({std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{16}, std::int64_t{31}, std::int64_t{32},
               std::int64_t{48}, huge, most, pto::instr::unknown, pto::instr::unknown});
  if (dice.one_in(2)) pack(t);
}
inline void mutate(TensorDesc& t, Dice& dice) {
  const int what = dice.below(7);
  if (what == 0) t.dtype = any_dtype(dice);
  if (what == 1) change_layout(t, dice);
  if (what == 2 || what == 3) change_extent(t, dice);
  if (what == 4)
    t.stride[dice.below(5)] = dice.of({std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{40},
                                       -std::int64_t{32}, INT64_MAX, pto::instr::unknown});
  if (what == 5 && dice.one_in(2)) std::swap(t.shape[3], t.shape[4]), pack(t);
  if (what == 6 && dice.one_in(2)) t.shape[0] = 2, t.shape[1] = 3, t.shape[2] = 4, pack(t);
  t.static_block = pto::instr::all_known(t.shape[3], t.shape[4]);
}

inline void mutate(pto::instr::NoPolicy&, Dice&) {}
inline void mutate(pto::instr::Texpands::Scalar&, Dice&) {}
inline void mutate(pto::instr::CoalesceChoice& c, Dice& dice) {
  c.mode = static_cast<pto::Coalesce>(dice.below(2)), c.open = dice.one_in(3);
  if (c.open) c.mode = pto::Coalesce::Row;
}
inline void mutate(pto::instr::GatherPolicy& p, Dice& dice) {
  if (dice.one_in(2)) mutate(p.coalesce, dice);
  p.oob = static_cast<pto::GatherOOB>(dice.below(4));
}
inline void mutate(pto::instr::ScatterPolicy& p, Dice& dice) {
  if (dice.one_in(2)) mutate(p.coalesce, dice);
  p.oob = static_cast<pto::ScatterOOB>(dice.below(4));
  p.op = static_cast<pto::ScatterAtomicOp>(dice.below(4));
  p.conflict_spelled = dice.one_in(3);
  p.conflict = static_cast<pto::ScatterConflict>(p.conflict_spelled ? dice.below(2) : 0);
}
inline void mutate(pto::instr::MgatherMat::Policy& p, Dice& dice) {
  p.coalesce = {static_cast<pto::Coalesce>(dice.below(2)), false};
  p.oob = static_cast<pto::GatherOOB>(dice.below(4));
  p.exec_spelled = dice.one_in(2);
  p.exec = static_cast<pto::GatherExec>(p.exec_spelled ? dice.below(2) : 0);
}
inline void mutate(pto::instr::Tstore::Policy& p, Dice& dice) {
  p.atomic = static_cast<pto::AtomicType>(dice.below(2));
}
inline void mutate(pto::MaskPattern& p, Dice& dice) { p = static_cast<pto::MaskPattern>(1 + dice.below(7)); }

/// Changes the element type of every operand that has the type of the first operand.
template <class I>
void change_dtype(typename I::Operands& o, Dice& dice) {
  DType from{};
  bool first = true;
  I::OperandList::each(o, [&](auto, auto& desc) {
    if (first) from = desc.dtype;
    first = false;
  });
  const DType to = any_dtype(dice);
  I::OperandList::each(o, [&](auto, auto& desc) {
    if (desc.dtype == from) desc.dtype = to;
  });
}

template <class I>
typename I::Operands near(typename I::Operands o, Dice& dice) {
  for (int changes = dice.below(5); changes > 0; --changes) {
    int count = 0, at = 0;
    I::OperandList::each(o, [&](auto, auto&) { ++count; });
    const int pick = dice.below(count + 2);
    if (pick == count) mutate(o.policy, dice);
    if (pick == count + 1) change_dtype<I>(o, dice);
    I::OperandList::each(o, [&](auto, auto& desc) {
      if (at++ == pick) mutate(desc, dice);
    });
  }
  return o;
}

}  // namespace ptox::assembly::testing
