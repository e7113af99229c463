// SPDX-License-Identifier: Apache-2.0
// How are two ways of doing one thing compared? In turns, in one run, by their medians.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ptox::bench {

/// One way of doing it; `run` does it once.
struct Way {
  std::string name;
  std::function<void()> run;
};

/// The time of one way, and how many times that of the first.
struct Timed {
  std::string bench, name;
  double seconds = 0, ratio = 1;
};

/// One question with the ways to be compared; the first is what the others are measured against.
struct Bench {
  const char* name;
  const char* question;
  std::vector<Timed> (*run)(int rounds);
};

/// Does every way once a round, the order turned by one each round; the median of each.
std::vector<Timed> compare(const std::string& bench, const std::vector<Way>& ways, int rounds);

/// All of them.
const std::vector<Bench>& all();

std::vector<Timed> checked_lookup(int rounds);
std::vector<Timed> unchecked_host(int rounds);

}  // namespace ptox::bench
