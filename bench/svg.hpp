// SPDX-License-Identifier: Apache-2.0
// Draws results as an SVG file.
#pragma once

#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/result.hpp"

namespace ptox::bench {

/// Writes charts below each other: bars of the speedup over the plain loop, and curves for results along an axis.
/// Returns false if the file cannot be written.
bool write_svg(const std::string& path, const Circumstances&, const std::vector<Result>&);

}  // namespace ptox::bench
