// SPDX-License-Identifier: Apache-2.0
// The example of S3 that gathers one element.
#pragma once

#include <pto/pto-inst.hpp>

namespace seeds::s3_scalar {

using namespace pto;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
AICORE void example_scalar(__gm__ float* tablePtr, __gm__ int32_t* idxPtr)
{
    constexpr int TableSize = 32;

    using DstTile     = Tile<TileType::Vec, float,   1, 8, BLayout::RowMajor, 1, 1>;
    using IdxTile     = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
    using TableShape  = Shape<1, 1, 1, 1, TableSize>;
    using TableStride = Stride<1, 1, 1, TableSize, 1>;
    using TableTensor = GlobalTensor<float, TableShape, TableStride>;

    TableTensor tableGM(tablePtr);
    DstTile dst; TASSIGN(dst, 0x0000);
    IdxTile idx; TASSIGN(idx, 0x0080);

    MGATHER<Coalesce::Elem>(dst, tableGM, idx);
}
#pragma GCC diagnostic pop

}  // namespace seeds::s3_scalar
