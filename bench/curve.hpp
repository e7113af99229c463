// SPDX-License-Identifier: Apache-2.0
// Measures the cost of one row or element along an axis.
#pragma once

#include "bench/bench.hpp"
#include "bench/work.hpp"

namespace ptox::bench {

/// Measures one point of the curve `group`: ptox on one thread and the plain loops, after comparing their results.
void measure_point(const std::string& bench, const std::string& group, double x, const Work&, const Settings&,
                   const Sink&);

}  // namespace ptox::bench
