// SPDX-License-Identifier: Apache-2.0
// Views, tiles and steps that several bad kernels use.
#pragma once

#include "corpus.hpp"

namespace ptox::corpus {

/// The memory of a kernel as tensors.
struct Views {
  Matrix<float, 64, 32> table, sums;    ///< to look up in, to scatter to
  Matrix<float, 8, 32> rows, out;       ///< the first rows of each
  Matrix<std::int32_t, 1, 8> idx;       ///< one index a row
  Matrix<std::int32_t, 8, 8> cells;     ///< one index an element
  Matrix<float, 8, 8> values, results;  ///< one value an element
  explicit Views(Memory& m)
      : table(m.table.data()),
        sums(m.out.data()),
        rows(m.table.data()),
        out(m.out.data()),
        idx(m.idx.data()),
        cells(m.idx.data()),
        values(m.table.data()),
        results(m.out.data()) {}
};

using Cells8 = pto::Tile<pto::TileType::Vec, float, 8, 8>;
using CellIndex8 = pto::Tile<pto::TileType::Vec, std::int32_t, 8, 8>;
using One = pto::Tile<pto::TileType::Vec, float, 1, 8, pto::BLayout::RowMajor, 1, 1>;
using OneIndex = pto::Tile<pto::TileType::Vec, std::int32_t, 1, 8, pto::BLayout::RowMajor, 1, 1>;
template <class T, int R, int C>
using Nz = pto::Tile<pto::TileType::Vec, T, R, C, pto::BLayout::ColMajor, R, C, pto::SLayout::RowMajor>;
template <class T, int R, int C>
using NzMatrix = pto::GlobalTensor<T, pto::TileShape2D<T, R, C, pto::Layout::NZ>,
                                   pto::BaseShape2D<T, R, C, pto::Layout::NZ>, pto::Layout::NZ>;
using Mat16 = pto::Tile<pto::TileType::Mat, float, 16, 32, pto::BLayout::ColMajor, 16, 32, pto::SLayout::RowMajor>;

/// Loads, and holds V until the bytes are there.
template <class T, class G>
void fetch(T& tile, G& from) {
  pto::TLOAD(tile, from);
  after(PIPE_MTE2, PIPE_V);
}

inline const Targets a5_and_cpu{&target::cpu, &target::a5};

}  // namespace ptox::corpus
