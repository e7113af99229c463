// SPDX-License-Identifier: Apache-2.0
// The command line of `ptox bench`: the tool prints its help, and the measuring program parses it.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace ptox::tool {

struct BenchOptions {
  std::vector<std::string> names;
  int rounds = 0, threads = 0;  ///< 0: not given
  bool quick = false, list = false, gpu = false;
  std::string json, svg;
};

CommandLine bench_command_line(BenchOptions&);

}  // namespace ptox::tool
