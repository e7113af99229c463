// SPDX-License-Identifier: Apache-2.0
// Wrong variants of the flags of a kernel.
#pragma once

#include <functional>
#include <string>

#include "mutation/trace.hpp"

namespace ptox::mutation {

struct Mutant {
  const char* kind;
  std::string what;  ///< the flag, its line, and what became of it
  Program program;
};

/// Calls visit for every set, wait, pair and barrier of a program deleted, moved or retargeted, one at a time. Of a
/// line that a loop reaches very often, the first rounds and the last are enough.
void each_mutant(const Program& program, const std::function<void(const Mutant&)>& visit);

}  // namespace ptox::mutation
