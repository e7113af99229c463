// SPDX-License-Identifier: Apache-2.0
// The example of S0 that scatters elements (sparse update).
#pragma once

#include <pto/npu/a5/custom/MScatter.hpp>

namespace seeds::s0_sparse_update {

using namespace pto;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
void example_sparse_update(__gm__ float* data, __gm__ int32_t* sparseIndices) {
    using IdxTile = Tile<TileType::Vec, int32_t, 16, 16>;
    using SrcTile = Tile<TileType::Vec, float, 16, 16>;
    using DataShape = Shape<1, 1, 1, 1024, 64>;
    using DataStride = Stride<1, 1, 1, 64, 1>;
    using DataTensor = GlobalTensor<float, DataShape, DataStride, Layout::ND>;

    DataTensor dataGM(data);
    IdxTile idx;
    SrcTile src;

    TASSIGN(idx, 0x0);
    TASSIGN(src, 0x2000);

    // Scatter with wrap mode
    MSCATTER<ScatterAtomicOp::None, ScatterOOB::Wrap>(dataGM, src, idx);
}
#pragma GCC diagnostic pop

}  // namespace seeds::s0_sparse_update
