// SPDX-License-Identifier: Apache-2.0
// Finds accesses of a kernel that are unordered on some path.
#pragma once

#include "asm/sync/sync_program.hpp"

namespace ptox::assembly::sync {

/// The result of a walk over all paths.
struct Findings {
  std::vector<Bits> unordered;  ///< by access: the facts that conflict with it and are not ordered before it
  std::vector<bool> stale;      ///< by access: it may read outdated data because a data cache and memory differ
  bool any = false;
};

/// Walks every path: both sides of branches, and loops until a fixed point is reached. `only_whether`: stop at the
/// first problem.
Findings find_unordered(const Program& program, bool only_whether = false);

}  // namespace ptox::assembly::sync
