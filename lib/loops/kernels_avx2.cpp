// SPDX-License-Identifier: Apache-2.0
// The loops for AVX2, FMA and F16C; compiled with the flags of these instruction sets.
#if defined(__AVX2__)
#include "loops/level_kernels.hpp"

namespace ptox {

const Kernels& avx2_kernels() {
  static const Kernels k = level_kernels();
  return k;
}

}  // namespace ptox
#endif
