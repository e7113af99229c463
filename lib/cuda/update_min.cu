// SPDX-License-Identifier: Apache-2.0
// Instantiates the kernels of unordered updates by minimum.
#include "cuda/updates.cuh"

namespace ptox::cuda {

void update_min(const Move& m, pto::instr::DType dtype, Stream stream) { update_any<Op::Min>(m, dtype, stream); }

}  // namespace ptox::cuda
