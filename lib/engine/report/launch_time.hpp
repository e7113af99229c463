// SPDX-License-Identifier: Apache-2.0
// The estimated time of launches, as reports print, add and write it.
#pragma once

#include <string>

#include "ptox/report.hpp"

namespace ptox {

/// "time (estimate): 12,345 cycles; MTE2 71 %, S 20 %" with the busiest pipe first; empty when nothing took time.
std::string time_line(const LaunchTime& time);

// Traces belong to the time estimate, so lib/observe defines these.

/// Adds a launch that follows those in `sum`: adds its cycles, and appends its trace where theirs ends.
void add(LaunchTime& sum, LaunchTime next);
/// The trace in Chrome's trace event format; without events if there is none.
std::string trace_json(const LaunchTime& time, const std::string& target);

}  // namespace ptox
