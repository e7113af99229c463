// SPDX-License-Identifier: Apache-2.0
// Random tiles and tensors.
#pragma once

#include <algorithm>

#include "engine/system/random.hpp"
#include "pto/tile/desc.hpp"

namespace ptox::random_test {

using pto::BLayout;
using pto::Layout;
using pto::SLayout;
using pto::instr::DType;
using pto::instr::size_of;
using pto::instr::TensorDesc;
using pto::instr::TileDesc;

inline std::int64_t one_to(Random& random, std::int64_t n) {
  return 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
}

/// A tile of any of the six layouts that holds rows x cols; the caller assigns its address.
inline TileDesc any_tile(Random& random, DType d, std::int64_t rows, std::int64_t cols) {
  TileDesc t{.dtype = d, .valid_rows = rows, .valid_cols = cols};
  t.blayout = static_cast<BLayout>(random.below(2));
  t.slayout = static_cast<SLayout>(random.below(3));
  const std::int64_t c0 = 32 / size_of(d);
  const std::int64_t box_rows = t.slayout == SLayout::RowMajor   ? 16
                                : t.slayout == SLayout::ColMajor ? c0
                                : t.blayout == BLayout::ColMajor ? c0
                                                                 : 1;
  const std::int64_t box_cols = t.slayout == SLayout::RowMajor   ? c0
                                : t.slayout == SLayout::ColMajor ? 16
                                : t.blayout == BLayout::RowMajor ? c0
                                                                 : 1;
  t.rows = (rows + box_rows - 1) / box_rows * box_rows + static_cast<std::int64_t>(random.below(2)) * box_rows;
  t.cols = (cols + box_cols - 1) / box_cols * box_cols + static_cast<std::int64_t>(random.below(2)) * box_cols;
  return t;
}

/// A tensor of any layout that holds rows x cols.
inline TensorDesc any_tensor(Random& random, DType d, std::int64_t rows, std::int64_t cols) {
  TensorDesc t{.dtype = d, .layout = static_cast<Layout>(random.below(3))};
  const std::int64_t c0 = 32 / size_of(d), gap = static_cast<std::int64_t>(random.below(2)) * 3;
  if (t.layout == Layout::NZ) {
    const std::int64_t bcols = (cols + c0 - 1) / c0, brows = (rows + 15) / 16;
    const std::int64_t batches = bcols % 2 == 0 ? 2 : 1, block_step = brows * 16 * c0 + gap * c0;
    const std::int64_t shape[] = {batches, bcols / batches, brows, 16, c0};
    const std::int64_t stride[] = {bcols / batches * block_step + 5, block_step, 16 * c0, c0, 1};
    std::copy(shape, shape + 5, t.shape), std::copy(stride, stride + 5, t.stride);
    return t;
  }
  const bool nd = t.layout == Layout::ND;
  const std::int64_t col_step = nd ? one_to(random, 2) : 1;
  const std::int64_t split = nd ? (rows % 2 ? 1 : 2) : (cols % 3 ? 1 : 3), outer = one_to(random, 2);
  const std::int64_t shape[] = {1, outer, split, nd ? rows / split : rows, nd ? cols : cols / split};
  std::copy(shape, shape + 5, t.shape);
  t.stride[3] = nd ? cols * col_step + gap : 1, t.stride[4] = nd ? col_step : rows + gap;
  t.stride[2] = nd ? t.shape[3] * t.stride[3] + gap : t.shape[4] * t.stride[4] + gap;
  t.stride[1] = split * t.stride[2] + 1, t.stride[0] = outer * t.stride[1];
  return t;
}

}  // namespace ptox::random_test
