// SPDX-License-Identifier: Apache-2.0
// The example of S3 that gathers elements (2-D random access).
#pragma once

#include <pto/pto-inst.hpp>

namespace seeds::s3_elem_2d {

using namespace pto;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
AICORE void example_elem_2d(__gm__ float* tablePtr, __gm__ int32_t* idxPtr)
{
    constexpr int R = 8, C = 32, TableSize = 256;

    using DstTile     = Tile<TileType::Vec, float,   R, C, BLayout::RowMajor, R, C>;
    using IdxTile     = Tile<TileType::Vec, int32_t, R, C, BLayout::RowMajor, R, C>;
    using TableShape  = Shape<1, 1, 1, 1, TableSize>;
    using TableStride = Stride<1, 1, 1, TableSize, 1>;
    using TableTensor = GlobalTensor<float, TableShape, TableStride>;

    TableTensor tableGM(tablePtr);
    DstTile dst; TASSIGN(dst, 0x0000);
    IdxTile idx; TASSIGN(idx, 0x0800);

    MGATHER<Coalesce::Elem, GatherOOB::Wrap>(dst, tableGM, idx);
}
#pragma GCC diagnostic pop

}  // namespace seeds::s3_elem_2d
