// SPDX-License-Identifier: Apache-2.0
// TGATHERB calls that must not compile.
//
// Run time only: c5_valid
#include "operands.hpp"

using Data = VecTile<float, 8, 32>;
using Offsets = VecTile<uint32_t, 8, 8, BLayout::RowMajor, 8, 4>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Tgatherb::c1_same_dtype, false>
  Data dst;
  VecTile<half, 8, 32> src;
  Offsets offset;
  TGATHERB(dst, src, offset);
#elif CASE == 2  // expect: Require<pto::instr::Tgatherb::c2_offset_dtype, false>
  Data dst, src;
  VecTile<float, 8, 8, BLayout::RowMajor, 8, 4> offset;
  TGATHERB(dst, src, offset);
#elif CASE == 3  // expect: Require<pto::instr::Tgatherb::c3_in_vec, false>
  Data dst;
  MatTile<float, 8, 32> src;
  Offsets offset;
  TGATHERB(dst, src, offset);
#elif CASE == 4  // expect: Require<pto::instr::Tgatherb::c4_row_major, false>
  VecTile<float, 8, 32, BLayout::ColMajor> dst;
  Data src;
  Offsets offset;
  TGATHERB(dst, src, offset);
#elif CASE == 5  // expect: Require<pto::instr::Tgatherb::c6_offset_shape, false>
  Data dst, src;
  VecTile<uint32_t, 8, 8> offset;
  TGATHERB(dst, src, offset);
#elif CASE == 6  // expect: no matching function for call to
  Data dst, src;
  Offsets offset, not_an_event;
  TGATHERB(dst, src, offset, not_an_event);
#else
  Data dst, src;
  Offsets offset;
  Event<Op::TLOAD, Op::TGATHERB> loaded;
  TGATHERB(dst, src, offset, loaded);
#endif
}
