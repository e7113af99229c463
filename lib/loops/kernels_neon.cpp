// SPDX-License-Identifier: Apache-2.0
// The loops for NEON, which every AArch64 processor has.
#if defined(__aarch64__)
#include "loops/level_kernels.hpp"

namespace ptox {

const Kernels& neon_kernels() {
  static const Kernels k = level_kernels();
  return k;
}

}  // namespace ptox
#endif
