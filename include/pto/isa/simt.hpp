// SPDX-License-Identifier: Apache-2.0
// How a SIMT launch distributes its work: warps of 32 lanes, at most 32 of them.
#pragma once

#include <cstdint>

namespace pto::instr {

inline constexpr std::int64_t warp_lanes = 32, most_warps = 32;

/// The warps of a launch. By row: rows are assigned round-robin to `row_warps` groups of `warps_per_row` warps, and the
/// 32-column segments of a row round-robin to the warps of its group. By element: segments of 32 elements are assigned
/// round-robin to all warps.
struct SimtShape {
  std::int64_t row_warps = 1, warps_per_row = 1;
  constexpr std::int64_t warps() const { return row_warps * warps_per_row; }
};

constexpr SimtShape simt_shape(std::int64_t rows, std::int64_t cols, bool by_row) {
  const std::int64_t units = by_row ? rows : (rows * cols + warp_lanes - 1) / warp_lanes;
  const std::int64_t row_warps = units < most_warps ? units : most_warps;
  if (!by_row || row_warps == 0) return {row_warps, 1};
  const std::int64_t runs = (cols + warp_lanes - 1) / warp_lanes, spare = most_warps / row_warps;
  return {row_warps, spare < runs ? spare : runs};
}

/// Visits the (r, c) of one warp in the order in which the warp processes them.
template <class V>
constexpr void walk_warp(SimtShape shape, std::int64_t warp, std::int64_t rows, std::int64_t cols, bool by_row,
                         V&& visit) {
  if (!by_row) {
    for (std::int64_t first = warp * warp_lanes; first < rows * cols; first += shape.warps() * warp_lanes)
      for (std::int64_t i = first; i < first + warp_lanes && i < rows * cols; ++i) visit(i / cols, i % cols);
    return;
  }
  const std::int64_t step = shape.warps_per_row * warp_lanes;
  for (std::int64_t r = warp / shape.warps_per_row; r < rows; r += shape.row_warps)
    for (std::int64_t first = warp % shape.warps_per_row * warp_lanes; first < cols; first += step)
      for (std::int64_t c = first; c < first + warp_lanes && c < cols; ++c) visit(r, c);
}

/// Visits every (r, c), warp by warp. The machine chooses the order of the warps (`permuted`).
template <class M, class V>
constexpr void walk_warps(M& m, std::int64_t rows, std::int64_t cols, bool by_row, V&& visit) {
  const SimtShape shape = simt_shape(rows, cols, by_row);
  for (std::int64_t k = 0; k < shape.warps(); ++k)
    walk_warp(shape, m.permuted(k, shape.warps()), rows, cols, by_row, visit);
}

}  // namespace pto::instr
