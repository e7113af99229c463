// SPDX-License-Identifier: Apache-2.0
// Instantiates the kernels of unordered updates by addition.
#include "cuda/updates.cuh"

namespace ptox::cuda {

void update_add(const Move& m, pto::instr::DType dtype, Stream stream) { update_any<Op::Add>(m, dtype, stream); }

}  // namespace ptox::cuda
