// SPDX-License-Identifier: Apache-2.0
// TSCATTER calls by mask that must not compile.
//
// Run time only: c3_valid
#include "operands.hpp"

using Wide = VecTile<float, 8, 32>;
using Half = VecTile<float, 8, 16>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::TscatterMask::c1_same_dtype, false>
  Wide dst;
  VecTile<int32_t, 8, 16> src;
  TSCATTER<MaskPattern::P0101>(dst, src);
#elif CASE == 2  // expect: Require<pto::instr::TscatterMask::c2_in_vec, false>
  MatTile<float, 8, 32> dst;
  Half src;
  TSCATTER<MaskPattern::P0101>(dst, src);
#elif CASE == 3  // expect: Require<pto::instr::TscatterMask::c4_mask, false>
  Wide dst;
  Half src;
  TSCATTER<MaskPattern::P1111>(dst, src);
#elif CASE == 4  // expect: no matching function for call to
  Wide dst;
  Half src;
  TSCATTER(dst, src);
#else
  Wide dst;
  Half src;
  Event<Op::TLOAD, Op::TSCATTER> loaded;
  TSCATTER<MaskPattern::P1010>(dst, src, loaded);
  TSCATTER<Wide, Half, MaskPattern::P0101>(dst, src);
#endif
}
