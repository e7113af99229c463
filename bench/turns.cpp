// SPDX-License-Identifier: Apache-2.0
#include "bench/turns.hpp"

#include <chrono>
#include <utility>

namespace ptox::bench {

double seconds_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Way timed(std::string name, std::function<void()> run, Kind kind, int threads, int repeats) {
  const auto several = [run = std::move(run), repeats] {
    for (int k = 0; k < repeats; ++k) run();
  };
  return {std::move(name), [several, repeats] { return seconds_of(several) / repeats; }, kind, threads};
}

std::vector<Series> in_turns(const std::vector<Way>& ways, int rounds) {
  std::vector<Series> out;
  for (const Way& w : ways) {
    if (!w.once) w.run();  // to warm up pages and caches
    out.push_back({w.name, w.kind, w.threads, {}});
  }
  for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round)
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const std::size_t i = (k + round) % ways.size();
      if (!ways[i].once || round == 0) out[i].seconds.push_back(ways[i].run());
    }
  return out;
}

}  // namespace ptox::bench
