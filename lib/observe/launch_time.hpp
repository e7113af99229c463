// SPDX-License-Identifier: Apache-2.0
// Combines the estimated times of the blocks of a launch, and of several launches.
#pragma once

#include <string>
#include <vector>

#include "observe/timeline.hpp"
#include "ptox/report.hpp"

namespace ptox {

/// The time of a launch whose blocks each run on their own core: that of the block that ends last, or of the first one
/// if several do.
LaunchTime joined(std::vector<BlockTime> blocks);

/// Adds a launch that follows those in `sum`: adds its cycles, and appends its trace where theirs ends.
void add(LaunchTime& sum, LaunchTime next);

/// "time (estimate): 12,345 cycles; MTE2 71 %, S 20 %" with the busiest pipe first; empty when nothing took time.
std::string time_line(const LaunchTime& time);

}  // namespace ptox
