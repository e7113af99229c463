// SPDX-License-Identifier: Apache-2.0
// Combines the estimated times of the blocks of a launch.
#pragma once

#include <vector>

#include "engine/report/launch_time.hpp"
#include "observe/timeline.hpp"
#include "ptox/report.hpp"

namespace ptox {

/// The time of a launch whose blocks each run on their own core: that of the block that ends last, or of the first one
/// if several do.
LaunchTime joined(std::vector<BlockTime> blocks);

}  // namespace ptox
