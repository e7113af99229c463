// SPDX-License-Identifier: Apache-2.0
// Runs one instruction on the GPU, for test cases that are shared with the host.
#pragma once

#include "cuda/tile_cases.hpp"
#include "ptox/ptox.hpp"

namespace ptox::cuda_test {

struct GpuOptions {
  std::int64_t base = 0;         ///< offset in global memory at which each tensor of the instruction starts
  std::size_t dyn_ub_bytes = 0;  ///< 0: chosen by the launch
  Check check = Check::off;
};

/// Runs the instruction in one block with the initial contents `ub` of UB and `gm` of global memory; both are updated.
template <class I>
Report run_on_gpu(typename I::Operands o, Bytes& ub, Bytes& gm, const GpuOptions& options = {});

}  // namespace ptox::cuda_test
