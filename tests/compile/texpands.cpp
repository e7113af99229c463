// SPDX-License-Identifier: Apache-2.0
// TEXPANDS calls that must not compile.
//
// Run time only: c2_valid
#include "operands.hpp"

using Data = VecTile<float, 8, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Texpands::c1_in_vec, false>
  MatTile<float, 8, 32> dst;
  TEXPANDS(dst, 1.0f);
#elif CASE == 2  // expect: no matching function for call to
  Data dst;
  TEXPANDS(dst, "one");
#elif CASE == 3  // expect: no matching function for call to
  Data dst, not_an_event;
  TEXPANDS(dst, 1.0f, not_an_event);
#else
  Data dst;
  VecTile<half, 8, 32> narrow;
  Event<Op::TSTORE_VEC, Op::TEXPANDS> stored;
  TEXPANDS(dst, 1.0f, stored);
  TEXPANDS(narrow, 1);
#endif
}
