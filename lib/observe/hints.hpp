// SPDX-License-Identifier: Apache-2.0
// Hints that would make a kernel faster.
#pragma once

#include <string>
#include <vector>

#include "observe/timeline.hpp"

namespace ptox {

/// Sentences with the call's file and line, its numbers and what to do; only where it matters for the whole block.
std::vector<std::string> hints_of(const BlockTime& block);

}  // namespace ptox
