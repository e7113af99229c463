// SPDX-License-Identifier: Apache-2.0
// The result of a measurement: the seconds of every way in every round.
#pragma once

#include <string>
#include <vector>

namespace ptox::bench {

/// Whose work it was; `reference` is another way of ours that the first is held against.
enum class Kind { ours, plain, peer, limit, reference };

/// One way of doing it, with the seconds of each round.
struct Series {
  std::string way;
  Kind kind = Kind::ours;
  int threads = 1;
  std::vector<double> seconds;

  double median() const;
  /// The middle half of the rounds, as a share of the median.
  double spread() const;
};

/// One case of a bench, with all the ways that were timed in turns.
struct Result {
  std::string bench, name;
  std::string item = "row";  ///< what is counted in `items`
  double items = 1;          ///< that many in one run
  std::vector<Series> series;
  std::string group = {};  ///< the curve that it is a point of
  double x = 0;            ///< where on that curve
  std::string about = {};  ///< what is done, in a few words

  const Series* find(const std::string& way, int threads = 1) const;
  const Series* ours(int threads = 1) const;
  const Series* plain() const;                 ///< the fastest of the plain loops
  const Series* limit(int threads = 1) const;  ///< the slowest of the limits: nothing is faster than that
  /// How many times as fast as the plain loop; 0 when one is missing.
  double over_plain(const Series*) const;
  double nanoseconds(const Series&) const;  ///< an item
};

}  // namespace ptox::bench
