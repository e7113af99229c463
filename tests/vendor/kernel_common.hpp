// SPDX-License-Identifier: Apache-2.0
// Tensors and staging tiles that the kernels share.
#pragma once

#include <type_traits>

#include "common.hpp"

// Rows x Cols elements, packed.
template <typename T, int kRows, int kCols>
using Matrix = pto::GlobalTensor<T, pto::Shape<1, 1, 1, kRows, kCols>,
                                 pto::BaseShape2D<T, kRows, kCols, pto::Layout::ND>, pto::Layout::ND>;

// A staging tile whose valid extents are static if they divide the data, else dynamic.
template <typename T, int kRows, int kCols, int kTileRows, int kTileCols>
using StagingTile = std::conditional_t<
    kRows % kTileRows == 0 && kCols % kTileCols == 0,
    pto::Tile<pto::TileType::Vec, T, kTileRows, kTileCols, pto::BLayout::RowMajor>,
    pto::Tile<pto::TileType::Vec, T, kTileRows, kTileCols, pto::BLayout::RowMajor, pto::DYNAMIC, pto::DYNAMIC>>;

template <typename TileT>
AICORE inline TileT MakeTile(uint64_t address) {
  if constexpr (TileT::ValidRow == pto::DYNAMIC) {
    TileT tile(TileT::Rows, TileT::Cols);
    TASSIGN(tile, address);
    return tile;
  } else {
    TileT tile;
    TASSIGN(tile, address);
    return tile;
  }
}

constexpr uint64_t kFirstTile = 0x0, kSecondTile = 0x8000, kThirdTile = 0x10000;
