// SPDX-License-Identifier: Apache-2.0
// The ways of doing a job: ours, the plain loops, and the limits of memory.
#pragma once

#include <vector>

#include "bench/turns.hpp"
#include "bench/work.hpp"

namespace ptox::bench {

using Ways = std::vector<Way>;

Ways& operator+=(Ways& all, Ways more);

/// The job must outlive what is made here. Small jobs are repeated so that the clock can see them.
Ways our_ways(const Job&, int threads);
Ways plain_ways(const Job&);
/// A copy of as many bytes as are moved, where that bounds the job, and reading the lines of the table that the indices
/// name, on one thread and on that many: whatever does the job does that too.
Ways limit_ways(const Job&, int threads);

/// The loop by the first compiler that has it, which results are compared with.
PlainLoop any_loop(const Work&);

}  // namespace ptox::bench
