// SPDX-License-Identifier: Apache-2.0
// TLOAD calls that must not compile.
//
// Run time only: c4_valid
#include "operands.hpp"

using Dst = VecTile<float, 16, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Tload::c1_same_dtype, false>
  Dst dst;
  NdTensor<half, 16, 32> src;
  TLOAD(dst, src);
#elif CASE == 2  // expect: Require<pto::instr::Tload::c2_location, false>
  Tile<TileType::Left, float, 16, 32> dst;
  NdTensor<float, 16, 32> src;
  TLOAD(dst, src);
#elif CASE == 3  // expect: Require<pto::instr::Tload::c3_layout, false>; target: a2a3
  Dst dst;
  DnTensor<float, 16, 32> src;
  TLOAD(dst, src);
#elif CASE == 4  // expect: Require<pto::instr::Tload::c3_layout, false>; target: a5
  VecTile<float, 16, 32, BLayout::ColMajor> dst;
  NdTensor<float, 16, 32> src;
  TLOAD(dst, src);
#elif CASE == 5  // expect: Require<pto::instr::Tload::c3_layout, false>; target: a5
  NzTile<float, 16, 32> dst;
  NdTensor<float, 16, 32> src;
  TLOAD(dst, src);
#elif CASE == 6  // expect: Require<pto::instr::Tload::c5_size, false>
  Dst dst;
  HugeTensor<float> src;
  TLOAD(dst, src);
#elif CASE == 7  // expect: Require<pto::instr::Tload::c6_region, false>
  Dst dst;
  NdTensor<float, 15, 32> src;
  TLOAD(dst, src);
#elif CASE == 8  // expect: Require<pto::instr::Tload::c7_one_burst, false>
  VecTile<int32_t, 8, 1> dst;
  NdTensor<int32_t, 8, 1, 4> src;
  TLOAD(dst, src);
#elif CASE == 9  // expect: Require<pto::instr::Tload::c8_nz_tensor, false>
  NzTile<float, 16, 32> dst;
  WideNzTensor<float> src;
  TLOAD(dst, src);
#elif CASE == 10  // expect: no matching function for call to
  Dst dst, not_an_event;
  NdTensor<float, 16, 32> src;
  TLOAD(dst, src, not_an_event);
#elif CASE == 11  // expect: no matching function for call to
  Dst dst;
  NdTensor<float, 16, 32> src;
  TLOAD(src, dst);
#else
  Dst dst;
  NdTensor<const float, 16, 32> src;
  NdTensor<float, 64, 64> wider;
  Event<Op::TSTORE_VEC, Op::TLOAD> stored;
  Event<Op::TLOAD, Op::MGATHER_VEC> loaded = TLOAD(dst, src, stored);
  TLOAD(dst, wider);
  VecTile<float, 16, 32, BLayout::ColMajor> col_major;
  DnTensor<float, 16, 32> dn;
  TLOAD(col_major, dn);
  NzTile<float, 16, 32> nz_tile;
  NzTensor<float, 16, 32> nz_tensor;
  TLOAD(nz_tile, nz_tensor);
  NzTile<float, 16, 32, TileType::Mat> l1;
  TLOAD(l1, src);
  VecTile<int32_t, 8, 1> column;
  NdTensor<int32_t, 8, 1> contiguous;
  TLOAD(column, contiguous);
#endif
}
