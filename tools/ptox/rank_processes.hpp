// SPDX-License-Identifier: Apache-2.0
// Runs a program several times at once, each process as one rank.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "process.hpp"

namespace ptox::tool {

struct RankProcesses {
  int ranks = 1;
  int deadline_ms = 0;  ///< how long ranks wait for each other, and how long the others may run after one has ended
  bool prefix = false;  ///< write the number of the rank before each line of its output
  /// Environment variables of a rank, besides those by which the ranks find each other.
  std::function<std::vector<std::pair<std::string, std::string>>(int rank)> variables;
};

struct RankEnd {
  ProgramEnd program{};
  bool stopped = false;  ///< was killed here, because it still ran a deadline after another rank had ended
};

/// How the process of each rank ended. When one has ended, the others are killed after the deadline.
std::vector<RankEnd> run_ranks(const std::vector<std::string>& command, const RankProcesses& options);

}  // namespace ptox::tool
