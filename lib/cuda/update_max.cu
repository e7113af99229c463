// SPDX-License-Identifier: Apache-2.0
// Instantiates the kernels of unordered updates by maximum.
#include "cuda/updates.cuh"

namespace ptox::cuda {

void update_max(const Move& m, pto::instr::DType dtype, Stream stream) { update_any<Op::Max>(m, dtype, stream); }

}  // namespace ptox::cuda
