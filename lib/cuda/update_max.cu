// SPDX-License-Identifier: Apache-2.0
#include "cuda/updates.cuh"

namespace ptox::cuda {

void update_max(const Move& m, pto::instr::DType dtype, Stream stream) { update_any<Op::Max>(m, dtype, stream); }

}  // namespace ptox::cuda
