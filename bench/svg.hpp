// SPDX-License-Identifier: Apache-2.0
// Draws results.
#pragma once

#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/result.hpp"

namespace ptox::bench {

/// Charts under one another: bars of the ratio to the plain loop, curves for what lies on an axis. False when the file
/// cannot be written.
bool write_svg(const std::string& path, const Circumstances&, const std::vector<Result>&);

}  // namespace ptox::bench
