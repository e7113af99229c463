// SPDX-License-Identifier: Apache-2.0
// The rules of tile types, checked by the compiler for Tile and at run time for tiles given as plain data.
#pragma once

#include "pto/tile/desc.hpp"

namespace pto::instr {

/// Whether the padded extents are multiples of the fractal box.
constexpr bool whole_boxes(const TileDesc& t) {
  if (!t.boxed()) return true;
  if (t.fractal / FRACTAL_NZ_ROW / size_of(t.dtype) < 1) return false;
  const Box box = box_of(t);
  return t.rows % box.rows == 0 && t.cols % box.cols == 0;
}

// X(holds, sentence) for each rule, on a TileDesc t.
#define PTO_TILE_TYPE_RULES(X)                                                                                 \
  X(t.rows > 0 && t.cols > 0, "Tile: Rows and Cols are positive")                                              \
  X(!known(t.valid_rows) || (t.valid_rows > 0 && t.valid_rows <= t.rows), "Tile: 0 < RowValid <= Rows, or -1") \
  X(!known(t.valid_cols) || (t.valid_cols > 0 && t.valid_cols <= t.cols), "Tile: 0 < ColValid <= Cols, or -1") \
  X(t.fractal == 512 || t.fractal == 1024 || t.fractal == 32, "Tile: SFractalSize is 512, 1024 or 32")         \
  X(t.boxed() || t.one_column() || t.aligned(),                                                                \
    "Tile: the contiguous extent (Cols when RowMajor, Rows when ColMajor) takes a multiple of 32 bytes")       \
  X(whole_boxes(t), "Tile: Rows and Cols are multiples of the fractal box")

/// The sentence of the first rule that a tile type breaks; nullptr if it breaks none.
constexpr const char* tile_type_fault(const TileDesc& t) {
#define PTO_TILE_TYPE_FAULT(holds, sentence) \
  if (!(holds)) return sentence;
  PTO_TILE_TYPE_RULES(PTO_TILE_TYPE_FAULT)
#undef PTO_TILE_TYPE_FAULT
  return nullptr;
}

}  // namespace pto::instr
