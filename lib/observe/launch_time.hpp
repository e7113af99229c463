// SPDX-License-Identifier: Apache-2.0
// The estimated time of a launch, all blocks together.
#pragma once

#include <string>
#include <vector>

#include "observe/timeline.hpp"
#include "ptox/report.hpp"

namespace ptox {

/// Blocks run on cores of their own: the launch ends with the block that ends last. Of equals the first counts.
LaunchTime joined(std::vector<BlockTime> blocks);

/// One launch after another: cycles add up, and in the trace each begins where the one before ended.
void add(LaunchTime& sum, LaunchTime next);

/// "time (estimate): 12,345 cycles; MTE2 71 %, S 20 %" with the busiest pipe first; empty when nothing took time.
std::string time_line(const LaunchTime& time);

}  // namespace ptox
