// SPDX-License-Identifier: Apache-2.0
// Calls of copy_cbuf_to_gm that must not compile.
//
// Run time only: c2_source
#include "operands.hpp"

void kernel() {
  float out[64];
  MatTile<float, 8, 32> tile;
#if CASE == 1  // expect: Require<pto::instr::CopyCbufToGm::c1_path, false>; target: a5
  copy_cbuf_to_gm(out, tile.data(), 0, 1, 8, 0, 0);
#else
  TASSIGN(tile, 0);
#endif
}
