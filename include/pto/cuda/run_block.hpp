// SPDX-License-Identifier: Apache-2.0
// The entry function in which a thread block runs one block of a launch.
#pragma once

#include <atomic>

#include "pto/cuda/place.hpp"

namespace pto::instr::cuda {

AICORE inline void begin_block(const LaunchData& launch) {
  State& s = Block::state();
  if (Block::tid() == 0) {
    s.launch = launch;
    s.ub = Block::shared_ub(), s.ub_bytes = launch.ub_bytes, s.in_shared = true;
    s.slot = -1;
    s.holes.clear();
  }
  if (const Count warp = Block::tid(); warp < 32) s.loads.clear(warp), s.stores.clear(warp), s.wrote[warp] = 0;
  __syncthreads();
}

AICORE inline void end_block() {
  State& s = Block::state();
  Block::finish();
  if (Block::tid() != 0) return;
  atomicMax(&s.launch.result->used, static_cast<unsigned long long>(s.holes.top()));
  __threadfence();
  if (s.slot >= 0) atomicExch(&s.launch.slot_taken[s.slot], 0u);
}

/// Every thread executes the code of the kernel; the work of each instruction is divided among the threads.
template <auto kernel, class... Args>
__attribute__((global)) void __launch_bounds__(1024, 1) run_block(LaunchData launch, Args... args) {
  begin_block(launch);
  kernel(args...);
  end_block();
}

/// The largest UB, in bytes, that a block of the kernel has used so far; -1 before the first launch.
template <auto kernel, class... Args>
inline std::atomic<std::int64_t> ub_used = -1;

/// The addresses of the arguments of an entry function. The launch sets the first one, that of LaunchData.
template <class... Args>
struct Arguments {
  explicit Arguments(Args&... args) : pointers{nullptr, const_cast<void*>(static_cast<const void*>(&args))...} {}
  void* pointers[sizeof...(Args) + 1];
};

}  // namespace pto::instr::cuda
