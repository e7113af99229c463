// SPDX-License-Identifier: Apache-2.0
// Runs one instruction on the GPU for a test written for the host.
#pragma once

#include "cuda/tile_cases.hpp"
#include "ptox/ptox.hpp"

namespace ptox::cuda_test {

struct GpuOptions {
  std::int64_t base = 0;         ///< where in global memory each tensor of the instruction begins
  std::size_t dyn_ub_bytes = 0;  ///< 0: as the launch chooses
  Check check = Check::off;
};

/// Runs the instruction in a block whose UB begins as `ub`, with `gm` as global memory; both are then what it left.
template <class I>
Report run_on_gpu(typename I::Operands o, Bytes& ub, Bytes& gm, const GpuOptions& options = {});

}  // namespace ptox::cuda_test
