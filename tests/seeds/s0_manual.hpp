// SPDX-License-Identifier: Apache-2.0
// The example of S0 that scatters rows (manual memory assignment).
#pragma once

#include <pto/npu/a5/custom/MScatter.hpp>

namespace seeds::s0_manual {

using namespace pto;

/// What the example leaves open: where the table lies.
inline half* the_table = nullptr;

void example_manual() {
    using IdxTile = Tile<TileType::Vec, int32_t, 8, 1>;
    using SrcTile = Tile<TileType::Vec, half, 8, 64>;
    using TableShape = Shape<1, 1, 1, 65536, 64>;
    using TableStride = Stride<1, 1, 1, 64, 1>;
    using TableTensor = GlobalTensor<half, TableShape, TableStride, Layout::ND>;

    __gm__ half* tablePtr = the_table /* ... */;
    TableTensor tableGM(tablePtr);

    IdxTile idx;
    SrcTile src;

    TASSIGN(idx, 0x0);
    TASSIGN(src, 0x1000);

    MSCATTER<ScatterAtomicOp::None, ScatterOOB::Clamp>(tableGM, src, idx);
}

}  // namespace seeds::s0_manual
