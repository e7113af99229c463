// SPDX-License-Identifier: Apache-2.0
// Facts about the machine on which the benchmark runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ptox::bench {

/// Names and values in the order in which they are printed. Facts that the system does not report are left out.
using Facts = std::vector<std::pair<std::string, std::string>>;

Facts machine();

int cores();

}  // namespace ptox::bench
