// SPDX-License-Identifier: Apache-2.0
// The result of a measurement: the seconds of every way in every round.
#pragma once

#include <string>
#include <vector>

namespace ptox::bench {

/// Which kind of implementation was timed. `reference`: another one of ptox, for comparison with `ours`.
enum class Kind { ours, plain, peer, limit, reference };

/// An implementation (a way of doing the job) with the seconds of each round.
struct Series {
  std::string way;
  Kind kind = Kind::ours;
  int threads = 1;
  std::vector<double> seconds;

  double median() const;
  /// The interquartile range of the rounds, as a share of the median.
  double spread() const;
};

/// One case of a bench, with all the ways that were timed in turns.
struct Result {
  std::string bench, name;
  std::string item = "row";  ///< what is counted in `items`
  double items = 1;          ///< their number in one run
  std::vector<Series> series;
  std::string group = {};  ///< the curve that the result is a point of; empty: none
  double x = 0;            ///< the position on that curve
  std::string about = {};  ///< a short description of the job

  const Series* find(const std::string& way, int threads = 1) const;
  const Series* ours(int threads = 1) const;
  const Series* plain() const;                 ///< the fastest of the plain loops
  const Series* limit(int threads = 1) const;  ///< the slowest limit, which no implementation can beat
  /// The speedup over the fastest plain loop; 0 if one of the two is missing.
  double over_plain(const Series*) const;
  double nanoseconds(const Series&) const;  ///< per item
};

}  // namespace ptox::bench
