// SPDX-License-Identifier: Apache-2.0
// Suggests changes that would make a kernel faster.
#pragma once

#include <string>
#include <vector>

#include "observe/timeline.hpp"

namespace ptox {

/// Sentences with the call's file and line, its numbers and what to do, for calls and waits that take a large share of
/// the block's time.
std::vector<std::string> hints_of(const BlockTime& block);

}  // namespace ptox
