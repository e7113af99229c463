// SPDX-License-Identifier: Apache-2.0
// Inserts a minimal set of flags that orders the memory accesses of a kernel.
#pragma once

#include "asm/sync/sync_program.hpp"

namespace ptox::assembly::sync {

/// The event ids in use, as a bit mask for each pair of pipes: those in the file, and id 0 for pairs that an
/// instruction sets itself.
struct TakenIds {
  std::uint8_t by[8][8] = {};
  std::uint8_t operator()(pipe_t src, pipe_t dst) const { return by[src][dst]; }
};
/// Inserts set and wait steps, and cleans of the data cache, until no access is unordered or stale. None of the
/// inserted pairs is redundant. Set and wait of a pair are in the same body, set first, so that every path executes
/// both or neither.
void insert_flags(Program& program, const TakenIds& taken);

}  // namespace ptox::assembly::sync
