// SPDX-License-Identifier: Apache-2.0
// Compiles the plain loops with the compilers of this machine, or uses the copy that is built into the tool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptox::bench {

using PlainLoop = void (*)(void* table, const std::int32_t* idx, void* moved, std::int64_t n, std::int64_t width);

/// The loops compiled by one compiler.
struct PlainLoops {
  std::string compiler;  ///< "g++", "clang++-19", "built in"
  const void* all;
  /// The loop of a name such as "gather_rows f32"; nullptr if the compiler does not support its type.
  PlainLoop find(const std::string& name) const;
};

/// The loops compiled with -O3 -march=native by g++ and by clang, if they are installed, and loaded until the process
/// ends. Without a compiler this is the copy that is built into the tool, so it is never empty.
const std::vector<PlainLoops>& plain_loops();

}  // namespace ptox::bench
