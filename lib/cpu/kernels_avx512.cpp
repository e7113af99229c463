// SPDX-License-Identifier: Apache-2.0
// The loops for AVX-512 F, BW, DQ and VL; built with the flags for them.
#if defined(__AVX512F__)
#include "cpu/level_kernels.hpp"

namespace ptox {

const Kernels& avx512_kernels() {
  static const Kernels k = level_kernels();
  return k;
}

}  // namespace ptox
#endif
