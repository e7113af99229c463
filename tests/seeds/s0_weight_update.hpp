// SPDX-License-Identifier: Apache-2.0
// The example of S0 that scatters rows (weight update).
#pragma once

#include <pto/npu/a5/custom/MScatter.hpp>

namespace seeds::s0_weight_update {

using namespace pto;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
template <typename T, int NumRows, int RowWidth, int TableRows>
void example_weight_update(__gm__ T* table, __gm__ int32_t* indices) {
    using IdxTile = Tile<TileType::Vec, int32_t, NumRows, 1>;
    using SrcTile = Tile<TileType::Vec, T, NumRows, RowWidth>;
    using TableShape = Shape<1, 1, 1, TableRows, RowWidth>;
    using TableStride = Stride<1, 1, 1, RowWidth, 1>;
    using TableTensor = GlobalTensor<T, TableShape, TableStride, Layout::ND>;

    TableTensor tableGM(table);
    IdxTile idx;
    SrcTile src;

    TASSIGN(idx, 0x0);
    TASSIGN(src, 0x1000);

    // Scatter with skip mode for invalid indices
    MSCATTER<ScatterAtomicOp::None, ScatterOOB::Skip>(tableGM, src, idx);
}
#pragma GCC diagnostic pop

}  // namespace seeds::s0_weight_update
