// SPDX-License-Identifier: Apache-2.0
#include "cuda/updates.cuh"

namespace ptox::cuda {

void update_min(const Move& m, pto::instr::DType dtype, Stream stream) { update_any<Op::Min>(m, dtype, stream); }

}  // namespace ptox::cuda
