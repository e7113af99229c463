// SPDX-License-Identifier: Apache-2.0
// How can the flags of a kernel be wrong?
#pragma once

#include <string>
#include <vector>

#include "mutation/trace.hpp"

namespace ptox::mutation {

struct Mutant {
  const char* kind;
  std::string what;  ///< the flag, its line, and what became of it
  Program program;
};

/// Every set, wait, pair and barrier of a program deleted, moved or retargeted, one at a time.
std::vector<Mutant> mutants_of(const Program& program);

}  // namespace ptox::mutation
