// SPDX-License-Identifier: Apache-2.0
// The example of S3 that gathers in manual mode.
#pragma once

#include <pto/pto-inst.hpp>

namespace seeds::s3_manual {

using namespace pto;

/// What the example leaves open: src is a table of 32 x 16 elements.
inline GlobalTensor<float, Shape<1, 1, 1, 32, 16>, Stride<1, 1, 1, 16, 1>> src;

void example_manual() {
  using DstT = Tile<TileType::Vec, float, 16, 16>;
  using IdxT = Tile<TileType::Vec, int32_t, 16, 16>;
  DstT dst;
  IdxT idx;
  TASSIGN(dst, 0x1000);
  TASSIGN(idx, 0x2000);
  MGATHER(dst, src, idx);
}

}  // namespace seeds::s3_manual
