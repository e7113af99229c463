// SPDX-License-Identifier: Apache-2.0
// TPREFETCH calls that must not compile.
//
// Run time only: c2_valid
#include "operands.hpp"

using Dst = VecTile<float, 16, 32>;

void kernel() {
#if CASE == 1  // expect: Require<pto::instr::Tprefetch::c1_same_dtype, false>
  Dst dst;
  NdTensor<half, 16, 32> src;
  TPREFETCH(dst, src);
#elif CASE == 2  // expect: Require<pto::instr::Tprefetch::c3_size, false>
  Dst dst;
  HugeTensor<float> src;
  TPREFETCH(dst, src);
#elif CASE == 3  // expect: Require<pto::instr::Tprefetch::c4_region, false>
  Dst dst;
  NdTensor<float, 15, 32> src;
  TPREFETCH(dst, src);
#elif CASE == 4  // expect: no matching function for call to
  Dst dst, not_an_event;
  NdTensor<float, 16, 32> src;
  TPREFETCH(dst, src, not_an_event);
#else
  Dst dst;
  NdTensor<const float, 16, 32> src;
  Event<Op::TSTORE_VEC, Op::TPREFETCH> stored;
  TPREFETCH(dst, src, stored);
#endif
}
