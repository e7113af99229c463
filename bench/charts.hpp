// SPDX-License-Identifier: Apache-2.0
// Charts of results.
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

/// A bar for every way that is neither a plain loop nor a limit shows its speedup over the plain loop; a stroke shows
/// the limit. `with_many`: ptox on `threads` threads has a bar as well.
Chart bars(const std::string& title, const std::vector<Result>&, int threads, bool with_many);

/// A panel for every group: nanoseconds of ptox and of the plain loop. A ring marks points where the speedup falls
/// (`fall`).
Chart curves(const std::string& title, const std::string& axis, const std::vector<Result>&);

}  // namespace ptox::bench
