// SPDX-License-Identifier: Apache-2.0
// TGATHER calls by index that must not compile.
//
// Run time only: c5_valid
#include "operands.hpp"

using Data = VecTile<float, 8, 32>;
using Idx = VecTile<int32_t, 8, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Tgather::c1_same_dtype, false>
  Data dst;
  VecTile<half, 8, 32> src;
  Idx idx;
  TGATHER(dst, src, idx);
#elif CASE == 2  // expect: Require<pto::instr::Tgather::c2_dtype, false>
  VecTile<int64_t, 8, 32> dst, src;
  Idx idx;
  TGATHER(dst, src, idx);
#elif CASE == 3  // expect: Require<pto::instr::Tgather::c2_dtype, false>; target: a2a3
  VecTile<float8_e5m2_t, 8, 32> dst, src;
  Idx idx;
  TGATHER(dst, src, idx);
#elif CASE == 4  // expect: Require<pto::instr::Tgather::c3_index_dtype, false>
  Data dst, src;
  VecTile<int16_t, 8, 32> idx;
  TGATHER(dst, src, idx);
#elif CASE == 5  // expect: Require<pto::instr::Tgather::c4_in_vec, false>
  Data dst;
  MatTile<float, 8, 32> src;
  Idx idx;
  TGATHER(dst, src, idx);
#elif CASE == 6  // expect: Require<pto::instr::Tgather::c6_same_valid, false>
  Data dst, src;
  VecTile<int32_t, 8, 24> idx;
  TGATHER(dst, src, idx);
#elif CASE == 7  // expect: no matching function for call to
  Data dst, src;
  Idx idx, tmp, not_an_event;
  TGATHER(dst, src, idx, tmp, not_an_event);
#elif CASE == 8  // expect: no matching function for call to
  Data dst;
  NdTensor<float, 8, 32> src;
  Idx idx;
  TGATHER(dst, src, idx);
#else
  Data dst, src;
  Idx idx, tmp;
  Event<Op::TLOAD, Op::TGATHER> loaded;
  TGATHER(dst, src, idx, loaded);
  TGATHER(dst, src, idx, tmp, loaded);
#endif
}
