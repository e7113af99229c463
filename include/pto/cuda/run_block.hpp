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

/// Every thread runs the kernel's own code; instructions are shared among them.
template <auto kernel, class... Args>
__attribute__((global)) void __launch_bounds__(1024, 1) run_block(LaunchData launch, Args... args) {
  begin_block(launch);
  kernel(args...);
  end_block();
}

/// What blocks of a kernel used of UB so far; -1: it was not launched yet.
template <auto kernel, class... Args>
inline std::atomic<std::int64_t> ub_used = -1;

/// Where the arguments of an entry lie; the launch puts its own first.
template <class... Args>
struct Arguments {
  explicit Arguments(Args&... args) : pointers{nullptr, const_cast<void*>(static_cast<const void*>(&args))...} {}
  void* pointers[sizeof...(Args) + 1];
};

}  // namespace pto::instr::cuda
