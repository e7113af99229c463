// SPDX-License-Identifier: Apache-2.0
// Tensors that must not compile.
#include "operands.hpp"

void kernel(float* data) {
#if CASE == 1  // expect: an extent is zero or more, or -1 for dynamic
  Shape<1, 1, 1, -2, 32> shape;
#elif CASE == 2  // expect: an extent is zero or more, or -1 for dynamic
  Stride<0, 0, 0, -32, 1> stride;
#elif CASE == 3  // expect: no matching
  Shape<1, 1, 1, -1, -1> shape(8);
#elif CASE == 4  // expect: no matching
  Shape<1, 1, 1, 8, 32> shape(8, 32);
#elif CASE == 5  // expect: no matching
  Stride<> stride(1, 2, 3, 4, 5, 6);
#elif CASE == 6  // expect: GlobalTensor: T is not an element type of this ISA
  NdTensor<bool, 8, 32> tensor;
#elif CASE == 7  // expect: no matching
  NdTensor<half, 8, 32> tensor(data);
#elif CASE == 8  // expect: no matching function for call to
  NdTensor<int32_t, 8, 32> tensor;
  TASSIGN(tensor, data);
#else
  NdTensor<float, 8, 32> fixed(data);
  NdTensor<const float, 0, 32> empty(data);
  GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<-1, -1, -1, -1, 1>> dynamic(data, {8, 32}, {0, 0, 0, 32});
  GlobalTensor<float, Shape<>, Stride<>> open(data, {1, 1, 1, 8, 32}, {0, 0, 0, 32, 1});
  DnTensor<float, 8, 32> dn(data);
  NzTensor<float, 16, 32> nz(data);
  TASSIGN(fixed, data);
#endif
}
