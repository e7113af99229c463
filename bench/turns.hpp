// SPDX-License-Identifier: Apache-2.0
// Times several implementations of a job alternately in one run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/result.hpp"

namespace ptox::bench {

/// An implementation of a job; `run` does the job once and returns its seconds.
struct Way {
  std::string name;
  std::function<double()> run;
  Kind kind = Kind::ours;
  int threads = 1;
  bool once = false;  ///< too slow for every round: timed in one round only, without warming up
};

/// Calls `run` and returns its wall-clock time in seconds.
double seconds_of(const std::function<void()>& run);

/// A way whose time is the mean of `repeats` calls of `run` in a row.
Way timed(std::string name, std::function<void()> run, Kind kind = Kind::ours, int threads = 1, int repeats = 1);

/// Runs every way once to warm up, then once in each round; the order is rotated by one from round to round.
std::vector<Series> in_turns(const std::vector<Way>& ways, int rounds);

}  // namespace ptox::bench
