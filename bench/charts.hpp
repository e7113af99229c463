// SPDX-License-Identifier: Apache-2.0
// The list of charts.
#pragma once

#include <string>
#include <vector>

#include "bench/canvas.hpp"
#include "bench/result.hpp"

namespace ptox::bench {

inline constexpr double chart_width = 960;

struct Chart {
  Canvas canvas;
  double height;
};

/// One bar for every way that is neither plain nor a limit, by how many times as fast as the plain loop it is; a stroke
/// where the limit lies. `threads`: many of them, where they were timed.
Chart bars(const std::string& title, const std::vector<Result>&, int threads, bool with_many);

/// A panel for every group: nanoseconds of ours and of the plain loop; a ring where the lead falls.
Chart curves(const std::string& title, const std::string& axis, const std::vector<Result>&);

}  // namespace ptox::bench
