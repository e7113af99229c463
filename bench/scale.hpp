// SPDX-License-Identifier: Apache-2.0
// Maps values to positions on a logarithmic axis.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace ptox::bench {

/// Maps `low` to `from` and `high` to `to`; values outside are moved to the nearer end.
struct LogScale {
  double low, high, from, to;
  double operator()(double value) const {
    const double share = std::log(std::clamp(value, low, high) / low) / std::log(high / low);
    return from + share * (to - from);
  }
  /// 1, 2 and 5 of every decade in the range, or only the powers of ten if there are more than `most`.
  std::vector<double> ticks(std::size_t most) const {
    std::vector<double> all, tens;
    for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high * 1.001; decade *= 10)
      for (const double step : {1.0, 2.0, 5.0}) {
        const double value = decade * step;
        if (value < low * 0.999 || value > high * 1.001) continue;
        all.push_back(value);
        if (step == 1) tens.push_back(value);
      }
    return all.size() <= most || tens.size() < 2 ? all : tens;
  }
};

}  // namespace ptox::bench
