// SPDX-License-Identifier: Apache-2.0
// The machine on which the bench runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ptox::bench {

/// Name and value, in the order in which they are printed; what the machine does not tell is left out.
using Facts = std::vector<std::pair<std::string, std::string>>;

Facts machine();

int cores();

}  // namespace ptox::bench
