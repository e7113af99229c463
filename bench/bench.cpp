// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.hpp"

#include <algorithm>
#include <chrono>

namespace ptox::bench {

namespace {

double seconds_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

}  // namespace

std::vector<Timed> compare(const std::string& bench, const std::vector<Way>& ways, int rounds) {
  std::vector<std::vector<double>> times(ways.size());
  for (const Way& w : ways) w.run();  // pages and caches are warm
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const std::size_t i = (k + static_cast<std::size_t>(round)) % ways.size();
      times[i].push_back(seconds_of(ways[i].run));
    }
  std::vector<Timed> out;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double t = median(times[i]);
    out.push_back({bench, ways[i].name, t, i == 0 ? 1.0 : t / out.front().seconds});
  }
  return out;
}

const std::vector<Bench>& all() {
  static const std::vector<Bench> benches{
      {"check", "How much longer does a checked run of a model take?", checked_lookup},
      {"unchecked", "What does an unchecked run on the host pay for the checker's existence?", unchecked_host},
  };
  return benches;
}

}  // namespace ptox::bench
