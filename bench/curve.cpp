// SPDX-License-Identifier: Apache-2.0
#include "bench/curve.hpp"

#include "bench/ways.hpp"

namespace ptox::bench {

void measure_point(const std::string& bench, const std::string& group, double x, const Work& w,
                   const Settings& settings, const Sink& sink) {
  const Job job(w);
  job.verify(any_loop(w), 1);
  Ways ways = our_ways(job, 1);
  ways += plain_ways(job);
  Result r{bench,
           group + " " + std::to_string(static_cast<std::int64_t>(x)),
           w.by_rows() ? "row" : "element",
           static_cast<double>(w.count),
           in_turns(ways, settings.rounds_or(5)),
           group,
           x};
  sink(std::move(r));
}

}  // namespace ptox::bench
