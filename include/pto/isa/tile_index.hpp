// SPDX-License-Identifier: Apache-2.0
// The common parts of gathers and scatters between tiles: logical indices and masks.
#pragma once

#include "pto/isa/effect.hpp"
#include "pto/isa/samples.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// The position of a logical index, which counts the elements of the padded tile row by row in every layout.
constexpr Position position_in(const TileDesc& t, std::int64_t index) { return {index / t.cols, index % t.cols}; }
constexpr std::int64_t positions(const TileDesc& t) { return t.rows * t.cols; }

/// Whether a mask keeps column c of every group of four; the pattern is read right to left.
constexpr bool keeps(MaskPattern p, std::int64_t c) {
  constexpr unsigned bits = 0xF8421A50;  // one hex digit per pattern; the lowest digit is unused
  return bits >> (4 * static_cast<int>(p) + c % 4) & 1u;
}
/// The number of columns that a mask keeps among the first n.
constexpr std::int64_t kept(MaskPattern p, std::int64_t n) {
  std::int64_t count = n / 4 * (p == MaskPattern::P1111 ? 4 : p <= MaskPattern::P1010 ? 2 : 1);
  for (std::int64_t c = n / 4 * 4; c < n; ++c) count += keeps(p, c);
  return count;
}

/// The narrow tile has as many valid columns as the mask keeps of the wide tile, and the same valid rows.
template <class Narrow, class Wide>
struct mask_fits {
  static constexpr bool holds(const Target&, const auto& o) {
    const TileDesc &n = Narrow::of(o), &w = Wide::of(o);
    const std::int64_t cols = known(w.valid_cols) ? kept(o.policy, w.valid_cols) : unknown;
    return may_equal(n.valid_rows, w.valid_rows) && may_equal(n.valid_cols, cols);
  }
  static void shows(Text& s, const Target&, const auto& o) {
    const TileDesc &n = Narrow::of(o), &w = Wide::of(o);
    s << Wide::name << " is " << w << ", " << Narrow::name << " is " << n << " and should have " << w.valid_rows << "x"
      << kept(o.policy, w.valid_cols) << " valid";
  }
};

/// Operands for the tables of the manual: element types of data and index.
template <class O, class V>
void tile_index_samples(const O& plain, V&& visit) {
  for (DType d : all_dtypes) {
    O o = plain;
    o.dst = o.src = sample_tile(d, 8, 32);
    visit("Element type", name(d), o);
  }
  for (DType d : all_dtypes) {
    O o = plain;
    o.idx = sample_tile(d, 8, 32);
    visit("Index type", name(d), o);
  }
}

template <class O, class V>
void mask_samples(TileDesc O::* narrow, TileDesc O::* wide, V&& visit) {
  constexpr const char* names[] = {"", "P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111"};
  for (int p = 1; p <= 7; ++p) {
    O o{};
    o.policy = static_cast<MaskPattern>(p);
    o.*wide = sample_tile(DType::f32, 8, 32);
    o.*narrow = sample_tile(DType::f32, 8, kept(o.policy, 32));
    visit("Mask", names[p], o);
  }
}

}  // namespace pto::instr
