// SPDX-License-Identifier: Apache-2.0
// The compiler that tests call for programs and kernels.
#pragma once

#include <cstdlib>
#include <string>

namespace ptox {

/// The compiler of this build, or the one that PTOX_TEST_CXX names: ./test runs some tests again with another one.
inline const std::string& test_compiler() {
  static const std::string compiler = [] {
    const char* const named = std::getenv("PTOX_TEST_CXX");
    return std::string(named && *named ? named : PTOX_CXX);
  }();
  return compiler;
}
inline bool compiler_is_clang() { return test_compiler().find("clang") != std::string::npos; }
inline bool compiler_of_this_build() { return test_compiler() == PTOX_CXX; }

}  // namespace ptox
