// SPDX-License-Identifier: Apache-2.0
#include "random/layout.hpp"

#include <algorithm>

namespace ptox::random_test {

Plan::Plan(const Case& c) : size(bytes_of(c.dtype)), c0(32 / size) {
  plan_tiles(c);
  plan_table(c);
}

void Plan::plan_tiles(const Case& c) {
  if (c.layout == TileLayout::nz) {
    tile_rows = round_up(c.rows, 16) + 16 * c.pad_rows;
    tile_cols = round_up(c.cols, c0) + c0 * c.pad_cols;
  } else if (c.layout == TileLayout::row_major) {
    tile_rows = c.rows + c.pad_rows;
    tile_cols = round_up(c.cols, c0) + c0 * c.pad_cols;
  } else {
    tile_rows = round_up(c.rows, c0) + c0 * c.pad_rows;
    tile_cols = c.cols + c.pad_cols;
  }
  idx_valid_rows = c.row ? (c.index_in_column ? c.rows : 1) : c.rows;
  idx_valid_cols = c.row ? (c.index_in_column ? 1 : c.rows) : c.cols;
  idx_rows = c.index_col_major ? round_up(idx_valid_rows, 8) : idx_valid_rows;
  idx_cols = c.index_col_major ? idx_valid_cols : round_up(idx_valid_cols, 8);
  tile_at = guard;
  idx_at = round_up(tile_at + tile_rows * tile_cols * size + guard, 32);
  ub_bytes = idx_at + idx_rows * idx_cols * 4 + guard;
}

void Plan::plan_table(const Case& c) {
  const std::int64_t width = c.cols + c.table_extra_cols;
  if (c.table == pto::Layout::NZ) {
    const std::int64_t bcols = (width + c0 - 1) / c0, brows = (c.table_rows + 15) / 16;
    const std::int64_t s[5] = {c.outer[0], bcols, brows, 16, c0};
    std::copy(s, s + 5, shape);
    stride[4] = 1, stride[3] = c0, stride[2] = 16 * c0;
    stride[1] = brows * 16 * c0 + c.row_gap * c0, stride[0] = bcols * stride[1] + c.row_gap * c0;
    logical_cols = shape[0] * shape[1] * c0;
    capacity = c.row ? shape[2] * 16 : shape[2] * 16 * logical_cols;
  } else if (c.table == pto::Layout::DN) {
    const std::int64_t s[5] = {c.outer[0], c.outer[1], c.outer[2], c.table_rows, width};
    std::copy(s, s + 5, shape);
    stride[3] = 1, stride[4] = c.table_rows + c.row_gap;
    stride[2] = width * stride[4], stride[1] = c.outer[2] * stride[2], stride[0] = c.outer[1] * stride[1];
    logical_cols = width * c.outer[0] * c.outer[1] * c.outer[2];
    capacity = c.row ? c.table_rows : c.table_rows * logical_cols;
  } else {
    const std::int64_t s[5] = {c.outer[0], c.outer[1], c.outer[2], c.table_rows, width};
    std::copy(s, s + 5, shape);
    stride[4] = c.col_step, stride[3] = width * c.col_step + c.row_gap;
    stride[2] = c.table_rows * stride[3] + c.row_gap, stride[1] = c.outer[2] * stride[2];
    stride[0] = c.outer[1] * stride[1];
    logical_cols = width;
    const std::int64_t outer = c.outer[0] * c.outer[1] * c.outer[2];
    capacity = c.row ? c.table_rows * (c.target == &target::a5 ? 1 : outer) : outer * c.table_rows * width;
  }
  lane_cols = c.target == &target::a2a3 && c.table == pto::Layout::NZ && c.row ? logical_cols : c.cols;
  std::int64_t last = 0;
  for (std::int64_t slot = 0; slot < capacity && logical_cols > 0; ++slot)
    for (std::int64_t col : {std::int64_t{0}, std::max<std::int64_t>(0, lane_cols - 1)})
      last = std::max(last, table_byte(c, slot, c.row ? col : 0) + size);
  table_at = guard;
  gm_bytes = round_up(guard + last + guard, 8);
}

std::int64_t Plan::tile_byte(const Case& c, std::int64_t r, std::int64_t col) const {
  std::int64_t at = r * tile_cols + col;
  if (c.layout == TileLayout::col_major) at = col * tile_rows + r;
  if (c.layout == TileLayout::nz) at = (col / c0) * tile_rows * c0 + r * c0 + col % c0;
  return tile_at + at * size;
}

std::int64_t Plan::idx_byte(const Case& c, std::int64_t i, std::int64_t j) const {
  return idx_at + 4 * (c.index_col_major ? j * idx_rows + i : i * idx_cols + j);
}

std::int64_t Plan::table_byte(const Case& c, std::int64_t slot, std::int64_t col) const {
  if (!c.row && c.table != pto::Layout::NZ) return slot * size;
  if (c.table == pto::Layout::NZ) {
    const std::int64_t r = c.row ? slot : slot / logical_cols, k = c.row ? col : slot % logical_cols;
    const std::int64_t cb = k / c0, i0 = cb / shape[1], i1 = cb % shape[1];
    return (i0 * stride[0] + i1 * stride[1] + (r / 16) * stride[2] + (r % 16) * stride[3] + k % c0) * size;
  }
  if (c.target == &target::a2a3) return (slot * stride[3] + col) * size;
  if (c.target == &target::a5) return (slot * c.cols + col) * size;
  std::int64_t digits[4] = {}, rest = c.table == pto::Layout::DN ? col : slot;
  const int low = c.table == pto::Layout::DN ? 4 : 3;
  const int order[4] = {low, 2, 1, 0};
  for (int k = 0; k < 4; ++k) {
    digits[k] = k == 3 ? rest : rest % shape[order[k]];
    rest /= shape[order[k]];
  }
  const std::int64_t other = c.table == pto::Layout::DN ? slot * stride[3] : col * stride[4];
  return (digits[0] * stride[low] + digits[1] * stride[2] + digits[2] * stride[1] + digits[3] * stride[0] + other) *
         size;
}

}  // namespace ptox::random_test
