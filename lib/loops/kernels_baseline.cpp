// SPDX-License-Identifier: Apache-2.0
// The loops that run on any machine of this architecture.
#include "loops/level_kernels.hpp"

namespace ptox {

const Kernels& baseline_kernels() {
  static const Kernels k = level_kernels();
  return k;
}

}  // namespace ptox
