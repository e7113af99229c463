// SPDX-License-Identifier: Apache-2.0
// The example of S0 that adds rows (gradient accumulation).
#pragma once

#include <pto/npu/a5/custom/MScatter.hpp>

namespace seeds::s0_gradient_accumulation {

using namespace pto;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
void example_gradient_accumulation(__gm__ float* gradTable, __gm__ int32_t* tokenIndices) {
    using IdxTile = Tile<TileType::Vec, int32_t, 16, 1>;
    using GradTile = Tile<TileType::Vec, float, 16, 64>;
    using TableShape = Shape<1, 1, 1, 65536, 64>;
    using TableStride = Stride<1, 1, 1, 64, 1>;
    using TableTensor = GlobalTensor<float, TableShape, TableStride, Layout::ND>;

    TableTensor tableGM(gradTable);
    IdxTile idx;
    GradTile grads;

    TASSIGN(idx, 0x0);
    TASSIGN(grads, 0x1000);

    // Atomic add for gradient accumulation
    MSCATTER<ScatterAtomicOp::Add, ScatterOOB::Skip>(tableGM, grads, idx);
}
#pragma GCC diagnostic pop

}  // namespace seeds::s0_gradient_accumulation
