// SPDX-License-Identifier: Apache-2.0
// The example of S3 that gathers with run-time shapes.
#pragma once

#include <pto/pto-inst.hpp>

namespace seeds::s3_dynamic {

using namespace pto;

/// What the fragment leaves open: the table and where the tiles lie.
AICORE void example_dynamic(__gm__ float* srcGm, int64_t dstUbOffsetBytes, int64_t idxUbOffsetBytes)
{
constexpr auto kPadCols = 16;
using DstTileT    = Tile<TileType::Vec, float,    1, kPadCols, BLayout::RowMajor, -1, -1>;
using IdxTileT    = Tile<TileType::Vec, int32_t,  1, kPadCols, BLayout::RowMajor, -1, -1>;
using TableShape  = Shape<1, 1, 1, -1, -1>;
using TableStride = Stride<1, 1, 1, -1, -1>;

int64_t validCols = 9, d3 = 3, d4 = 10, srcStride3 = 10;
TableShape  tableShape(d3, d4);
TableStride tableStride(srcStride3, (int64_t)1);
GlobalTensor<float, TableShape, TableStride> tableGM(srcGm, tableShape, tableStride);

DstTileT dstTile(1, validCols);
IdxTileT idxTile(1, validCols);
TASSIGN(dstTile, dstUbOffsetBytes);
TASSIGN(idxTile, idxUbOffsetBytes);

MGATHER<Coalesce::Elem, GatherOOB::Undefined>(dstTile, tableGM, idxTile);
}

}  // namespace seeds::s3_dynamic
