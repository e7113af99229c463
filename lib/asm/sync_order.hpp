// SPDX-License-Identifier: Apache-2.0
// Finds accesses of a kernel that are unordered on some path.
#pragma once

#include "asm/sync_program.hpp"

namespace ptox::assembly::sync {

/// What a walk over all paths finds.
struct Findings {
  std::vector<Bits> unordered;  ///< by access: the facts that conflict with it and are in no order
  std::vector<bool> stale;      ///< by access: it may miss what a data cache, or memory, has
  bool any = false;
};

/// Walks every path: branches taken and not, loops as often as they may run. `only_whether`: stops at the first.
Findings find_unordered(const Program& program, bool only_whether = false);

}  // namespace ptox::assembly::sync
