// SPDX-License-Identifier: Apache-2.0
// TSTORE calls that must not compile.
//
// Run time only: c4_valid
#include "operands.hpp"

using Src = VecTile<float, 16, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Tstore::c1_same_dtype, false>
  NdTensor<int32_t, 16, 32> dst;
  Src src;
  TSTORE(dst, src);
#elif CASE == 2  // expect: Require<pto::instr::Tstore::c2_location, false>
  NdTensor<float, 16, 32> dst;
  Tile<TileType::Bias, float, 16, 32> src;
  TSTORE(dst, src);
#elif CASE == 3  // expect: Require<pto::instr::Tstore::c3_layout, false>; target: a2a3
  NdTensor<float, 16, 32> dst;
  VecTile<float, 16, 32, BLayout::ColMajor> src;
  TSTORE(dst, src);
#elif CASE == 4  // expect: Require<pto::instr::Tstore::c3_layout, false>; target: a5
  NzTensor<float, 16, 32> dst;
  Src src;
  TSTORE(dst, src);
#elif CASE == 5  // expect: Require<pto::instr::Tstore::c5_size, false>
  HugeTensor<float> dst;
  Src src;
  TSTORE(dst, src);
#elif CASE == 6  // expect: Require<pto::instr::Tstore::c6_region, false>
  NdTensor<float, 16, 31> dst;
  Src src;
  TSTORE(dst, src);
#elif CASE == 7  // expect: Require<pto::instr::Tstore::c7_one_burst, false>
  NdTensor<int32_t, 8, 1, 8> dst;
  VecTile<int32_t, 8, 1> src;
  TSTORE(dst, src);
#elif CASE == 8  // expect: Require<pto::instr::Tstore::c8_nz_tensor, false>
  WideNzTensor<float> dst;
  NzTile<float, 16, 32> src;
  TSTORE(dst, src);
#elif CASE == 9  // expect: Require<pto::instr::Tstore::c9_atomic_dtype, false>
  NdTensor<double, 16, 32> dst;
  VecTile<double, 16, 32> src;
  TSTORE<AtomicType::AtomicAdd>(dst, src);
#elif CASE == 10  // expect: Require<pto::instr::Tstore::c9_atomic_dtype, false>; target: a5
  NdTensor<uint8_t, 16, 32> dst;
  VecTile<uint8_t, 16, 32> src;
  TSTORE<AtomicType::AtomicAdd>(dst, src);
#elif CASE == 11  // expect: TSTORE takes at most one AtomicType
  NdTensor<float, 16, 32> dst;
  Src src;
  TSTORE<AtomicType::AtomicAdd, AtomicType::AtomicAdd>(dst, src);
#elif CASE == 12  // expect: TSTORE takes at most one AtomicType
  NdTensor<float, 16, 32> dst;
  Src src;
  TSTORE<ScatterAtomicOp::Add>(dst, src);
#elif CASE == 13  // expect: TSTORE writes dst: its element type is not const
  NdTensor<const float, 16, 32> dst;
  Src src;
  TSTORE(dst, src);
#elif CASE == 14  // expect: no matching function for call to
  NdTensor<float, 16, 32> dst;
  Src src, not_an_event;
  TSTORE(dst, src, not_an_event);
#else
  NdTensor<float, 16, 32> dst;
  Src src;
  Event<Op::MGATHER_VEC, Op::TSTORE_VEC> gathered;
  Event<Op::TSTORE_VEC, Op::TLOAD> stored = TSTORE(dst, src, gathered);
  TSTORE<AtomicType::AtomicAdd>(dst, src);
  TSTORE<Src, NdTensor<float, 16, 32>, AtomicType::AtomicNone>(dst, src);
  VecTile<int32_t, 8, 1> column;
  NdTensor<int32_t, 8, 1> contiguous;
  TSTORE(contiguous, column);
#endif
}
