// SPDX-License-Identifier: Apache-2.0
// Mutants of a kernel: variants with wrong flags.
#pragma once

#include <functional>
#include <string>

#include "mutation/trace.hpp"

namespace ptox::mutation {

struct Mutant {
  const char* kind;
  std::string what;  ///< the flag, its line, and the change
  Program program;
};

/// Calls `visit` for each mutant: every set, wait, pair and barrier deleted, moved or retargeted, one at a time. Of a
/// line that a loop executes often, only the first iterations and the last are mutated.
void each_mutant(const Program& program, const std::function<void(const Mutant&)>& visit);

}  // namespace ptox::mutation
