// SPDX-License-Identifier: Apache-2.0
// The loops for AVX-512 F, BW, DQ and VL; compiled with the flags of these instruction sets.
#if defined(__AVX512F__)
#include "loops/level_kernels.hpp"

namespace ptox {

const Kernels& avx512_kernels() {
  static const Kernels k = level_kernels();
  return k;
}

}  // namespace ptox
#endif
