// SPDX-License-Identifier: Apache-2.0
// The main header for kernels: all instructions, the collectives and the choice of the target.
#pragma once

#include "pto/comm/all.hpp"
#include "pto/isa/all.hpp"
#include "pto/npu/memory_model.hpp"
#ifdef __CUDACC__
#include "pto/cuda/issue.hpp"
#endif
#ifdef __CPU_SIM
#include "pto/common/cpu_sim.hpp"
#endif
