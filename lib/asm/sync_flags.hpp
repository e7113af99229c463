// SPDX-License-Identifier: Apache-2.0
// Selects a minimal set of flags that orders the accesses of a kernel.
#pragma once

#include "asm/sync_program.hpp"

namespace ptox::assembly::sync {

/// By pair of pipes, a bit for each id that the kernel uses by itself; bit 0 where an instruction does.
struct TakenIds {
  std::uint8_t by[8][8] = {};
  std::uint8_t operator()(pipe_t src, pipe_t dst) const { return by[src][dst]; }
};
/// Inserts set and wait steps, and cleans of the data cache, until nothing is unordered or stale; every pair is needed.
/// A pair stands in one body, set before wait, so that each path has both or none of them.
void insert_flags(Program& program, const TakenIds& taken);

}  // namespace ptox::assembly::sync
