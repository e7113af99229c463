// SPDX-License-Identifier: Apache-2.0
// Compares several ways of doing one thing, alternating in one run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/result.hpp"

namespace ptox::bench {

/// One way of doing it; `run` does it once and says how many seconds that took.
struct Way {
  std::string name;
  std::function<double()> run;
  Kind kind = Kind::ours;
  int threads = 1;
  bool once = false;  ///< too slow for every round: one run, not warmed up
};

/// The seconds that it takes.
double seconds_of(const std::function<void()>& run);

/// A way that is timed here, the mean of `repeats` runs in a row.
Way timed(std::string name, std::function<void()> run, Kind kind = Kind::ours, int threads = 1, int repeats = 1);

/// Every way once to warm up, then every way once a round, the order turned by one each round.
std::vector<Series> in_turns(const std::vector<Way>& ways, int rounds);

}  // namespace ptox::bench
