// SPDX-License-Identifier: Apache-2.0
// The cost of one row along an axis.
#pragma once

#include "bench/bench.hpp"
#include "bench/work.hpp"

namespace ptox::bench {

/// One point of the curve `group`: ours on one thread and the plain loops, after their results were compared.
void measure_point(const std::string& bench, const std::string& group, double x, const Work&, const Settings&,
                   const Sink&);

}  // namespace ptox::bench
