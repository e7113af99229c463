// SPDX-License-Identifier: Apache-2.0
// Operands that the legality tables of the manual show.
#pragma once

#include "pto/isa/rules.hpp"

namespace pto::instr {

constexpr TileDesc sample_tile(DType dtype, std::int64_t rows, std::int64_t cols, BLayout blayout = BLayout::RowMajor) {
  TileDesc t{.dtype = dtype, .blayout = blayout, .rows = rows, .cols = cols, .valid_rows = rows, .valid_cols = cols};
  std::int64_t& contiguous = blayout == BLayout::RowMajor ? t.cols : t.rows;
  contiguous = (contiguous + c0_of(dtype) - 1) / c0_of(dtype) * c0_of(dtype);
  t.offset = 0;
  return t;
}

constexpr TileDesc sample_nz_tile(DType dtype, std::int64_t rows, std::int64_t cols) {
  TileDesc t = sample_tile(dtype, rows, cols);
  t.blayout = BLayout::ColMajor;
  t.slayout = SLayout::RowMajor;
  return t;
}

constexpr TensorDesc sample_table(DType dtype, std::int64_t rows, std::int64_t cols) {
  return {.dtype = dtype, .shape = {1, 1, 1, rows, cols}, .stride = {rows * cols, rows * cols, rows * cols, cols, 1}};
}

constexpr TensorDesc sample_nz_table(DType dtype, std::int64_t rows, std::int64_t cols) {
  const std::int64_t c0 = c0_of(dtype), brows = rows / 16, bcols = cols / c0;
  return {.dtype = dtype,
          .layout = Layout::NZ,
          .shape = {1, bcols, brows, 16, c0},
          .stride = {rows * cols, rows * c0, 16 * c0, c0, 1}};
}

/// The tables that MGATHER and MSCATTER share: element types, layouts, index tiles.
template <class O, class V>
void indexed_samples(const O& row, const O& elem, TileDesc O::* data, V&& visit) {
  for (DType d : all_dtypes) {
    O o = row;
    o.*data = sample_tile(d, 8, 32), o.table = sample_table(d, 64, 32);
    visit("Element type", name(d), o);
  }
  const auto layouts = [&](const char* label, TileDesc tile, TensorDesc table) {
    O o = row;
    o.*data = tile, o.table = table;
    o.idx = sample_tile(DType::i32, 1, tile.rows);
    visit("Layouts of tile and table", label, o);
  };
  TensorDesc dn = sample_table(DType::f32, 64, 32);
  dn.layout = Layout::DN, dn.stride[3] = 1, dn.stride[4] = 64;
  layouts("RowMajor, ND", sample_tile(DType::f32, 8, 32), sample_table(DType::f32, 64, 32));
  layouts("ColMajor, ND", sample_tile(DType::f32, 8, 32, BLayout::ColMajor), sample_table(DType::f32, 64, 32));
  layouts("NZ, NZ", sample_nz_tile(DType::f32, 16, 32), sample_nz_table(DType::f32, 64, 32));
  layouts("RowMajor, DN", sample_tile(DType::f32, 8, 32), dn);
  layouts("NZ, ND", sample_nz_tile(DType::f32, 16, 32), sample_table(DType::f32, 64, 32));
  TensorDesc strided = sample_table(DType::f32, 64, 32), wider = sample_table(DType::f32, 64, 48);
  strided.stride[3] = 40;
  layouts("RowMajor, ND with padded rows", sample_tile(DType::f32, 8, 32), strided);
  layouts("RowMajor, ND with wider rows", sample_tile(DType::f32, 8, 32), wider);

  const auto index = [&](const char* label, O o, TileDesc idx) {
    o.idx = idx;
    visit("Index tile", label, o);
  };
  TileDesc column = sample_tile(DType::i32, 8, 1);
  TileDesc one_column = column;
  one_column.cols = 1;
  index("Row, [1,R] RowMajor", row, sample_tile(DType::i32, 1, 8));
  index("Row, [R,1] ColMajor", row, sample_tile(DType::i32, 8, 1, BLayout::ColMajor));
  index("Row, [R,1] RowMajor, one padded column", row, one_column);
  index("Row, [R,1] RowMajor, padded to more columns", row, column);
  index("Elem, RowMajor", elem, sample_tile(DType::i32, 8, 32));
  index("Elem, ColMajor", elem, sample_tile(DType::i32, 8, 32, BLayout::ColMajor));
}

}  // namespace pto::instr
