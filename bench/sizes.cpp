// SPDX-License-Identifier: Apache-2.0
// Measures the cost of one row or element as a job grows: as many indices as table rows, doubled from point to point.
#include <algorithm>

#include "bench/curve.hpp"

namespace ptox::bench {

namespace {

constexpr std::int64_t most_bytes = 2100 * std::int64_t{1000 * 1000};

struct Subject {
  const char* name;
  Move move;
  std::int64_t width;
};

const Subject subjects[] = {{"gather elements", Move::gather, 0},
                            {"add elements", Move::add, 0},
                            {"gather rows of 64 B", Move::gather, 16},
                            {"scatter rows of 64 B", Move::scatter, 16}};

/// Sizes from 1000 on, each twice the one before, and the limit itself if it is more than a quarter larger than the
/// last.
std::vector<std::int64_t> steps(std::int64_t limit) {
  std::vector<std::int64_t> out;
  for (std::int64_t n = 1000; n <= limit; n *= 2) out.push_back(n);
  if (limit > out.back() * 5 / 4) out.push_back(limit);
  return out;
}

}  // namespace

void sizes(const Settings& settings, const Sink& sink) {
  for (const Subject& s : subjects) {
    const std::int64_t row_bytes = std::max<std::int64_t>(1, s.width) * 4;
    const std::int64_t limit = settings.quick ? 64'000 : std::min<std::int64_t>(100'000'000, most_bytes / row_bytes);
    for (const std::int64_t n : steps(limit))
      measure_point("sizes", s.name, static_cast<double>(n), {s.move, Number::f32, n, s.width, n}, settings, sink);
  }
}

}  // namespace ptox::bench
