// SPDX-License-Identifier: Apache-2.0
// The implementations of a job: ptox, the plain loops, and the limits of memory.
#pragma once

#include <vector>

#include "bench/turns.hpp"
#include "bench/work.hpp"

namespace ptox::bench {

using Ways = std::vector<Way>;

Ways& operator+=(Ways& all, Ways more);

/// The job must outlive the ways. Small jobs are repeated, so that they take long enough to be timed.
Ways our_ways(const Job&, int threads);
Ways plain_ways(const Job&);
/// Lower bounds of the job's time, on one thread and on `threads`: a copy of as many bytes as are moved, where that is
/// a bound, and reading the cache lines of the table that the indices name. Every implementation does at least that.
Ways limit_ways(const Job&, int threads);

/// The loop of the first compiler that has it; results are compared with it. Throws std::runtime_error if none has it.
PlainLoop any_loop(const Work&);

}  // namespace ptox::bench
