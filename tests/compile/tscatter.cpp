// SPDX-License-Identifier: Apache-2.0
// TSCATTER calls by index that must not compile.
//
// Run time only: c5_valid
#include "operands.hpp"

using Data = VecTile<float, 8, 32>;
using Idx = VecTile<int32_t, 8, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Tscatter::c1_same_dtype, false>
  VecTile<half, 8, 32> dst;
  Data src;
  Idx idx;
  TSCATTER(dst, src, idx);
#elif CASE == 2  // expect: Require<pto::instr::Tscatter::c2_dtype, false>
  VecTile<uint64_t, 8, 32> dst, src;
  Idx idx;
  TSCATTER(dst, src, idx);
#elif CASE == 3  // expect: Require<pto::instr::Tscatter::c2_dtype, false>; target: a2a3
  VecTile<hifloat8_t, 8, 32> dst, src;
  Idx idx;
  TSCATTER(dst, src, idx);
#elif CASE == 4  // expect: Require<pto::instr::Tscatter::c3_index_dtype, false>
  Data dst, src;
  VecTile<int64_t, 8, 32> idx;
  TSCATTER(dst, src, idx);
#elif CASE == 5  // expect: Require<pto::instr::Tscatter::c4_in_vec, false>
  MatTile<float, 8, 32> dst;
  Data src;
  Idx idx;
  TSCATTER(dst, src, idx);
#elif CASE == 6  // expect: Require<pto::instr::Tscatter::c6_same_valid, false>
  Data dst, src;
  VecTile<int32_t, 8, 24> idx;
  TSCATTER(dst, src, idx);
#elif CASE == 7  // expect: no matching function for call to
  Data dst, src;
  Idx idx, not_an_event;
  TSCATTER(dst, src, idx, not_an_event);
#else
  Data dst, src;
  Idx idx;
  Event<Op::TLOAD, Op::TSCATTER> loaded;
  TSCATTER(dst, src, idx, loaded);
#endif
}
