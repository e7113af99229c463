// SPDX-License-Identifier: Apache-2.0
// TGATHER calls by mask that must not compile.
//
// Run time only: c3_valid
#include "operands.hpp"

using Wide = VecTile<float, 8, 32>;
using Half = VecTile<float, 8, 16>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::TgatherMask::c1_same_dtype, false>
  VecTile<int32_t, 8, 16> dst;
  Wide src;
  TGATHER<MaskPattern::P0101>(dst, src);
#elif CASE == 2  // expect: Require<pto::instr::TgatherMask::c2_in_vec, false>
  Half dst;
  MatTile<float, 8, 32> src;
  TGATHER<MaskPattern::P0101>(dst, src);
#elif CASE == 3  // expect: Require<pto::instr::TgatherMask::c4_mask, false>
  Half dst;
  Wide src;
  TGATHER<MaskPattern::P0001>(dst, src);
#elif CASE == 4  // expect: no matching function for call to
  Half dst;
  Wide src;
  TGATHER(dst, src);
#elif CASE == 5  // expect: no matching function for call to
  Half dst;
  Wide src;
  TGATHER<GatherAxis::GATHER_ROW>(dst, src);
#else
  Half dst;
  Wide src;
  Event<Op::TLOAD, Op::TGATHER> loaded;
  TGATHER<MaskPattern::P1010>(dst, src, loaded);
  TGATHER<Half, Wide, MaskPattern::P0101>(dst, src);
  TGATHER<MaskPattern::P1111>(src, src);
#endif
}
