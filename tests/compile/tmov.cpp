// SPDX-License-Identifier: Apache-2.0
// TMOV calls that must not compile.
//
// Run time only: c3_valid
#include "operands.hpp"

using Data = VecTile<float, 8, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Tmov::c1_same_dtype, false>
  Data dst;
  VecTile<int32_t, 8, 32> src;
  TMOV(dst, src);
#elif CASE == 2  // expect: Require<pto::instr::Tmov::c2_locations, false>
  MatTile<float, 8, 32> dst;
  Data src;
  TMOV(dst, src);
#elif CASE == 3  // expect: Require<pto::instr::Tmov::c4_same_valid, false>
  Data dst;
  VecTile<float, 8, 24> src;
  TMOV(dst, src);
#elif CASE == 4  // expect: no matching function for call to
  Data dst, src, not_an_event;
  TMOV(dst, src, not_an_event);
#else
  Data dst;
  VecTile<float, 16, 32, BLayout::ColMajor, 8, 32> src;
  Event<Op::TLOAD, Op::TMOV> loaded;
  TMOV(dst, src, loaded);
#endif
}
