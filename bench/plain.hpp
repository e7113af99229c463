// SPDX-License-Identifier: Apache-2.0
// Compiles the plain loops with the compilers of this machine, or takes the copy in the tool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptox::bench {

using PlainLoop = void (*)(void* table, const std::int32_t* idx, void* moved, std::int64_t n, std::int64_t width);

/// The loops as one compiler made them.
struct PlainLoops {
  std::string compiler;  ///< "g++", "clang++-19", "built in"
  const void* all;
  /// By names such as "gather_rows f32"; null where that compiler has no such type.
  PlainLoop find(const std::string& name) const;
};

/// Compiled with -O3 -march=native by g++ and by clang, those that are found, and loaded for the life of the process.
/// Never empty: the copy that was built into the tool takes the place of missing compilers.
const std::vector<PlainLoops>& plain_loops();

}  // namespace ptox::bench
