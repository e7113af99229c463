// SPDX-License-Identifier: Apache-2.0
// Maps names of values in a file to unique C++ identifiers.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ptox::assembly::cpp {

/// Produces identifiers that are unique and are neither keywords, macros nor names that the printed code uses.
class Names {
 public:
  /// The identifier for `wanted`; `otherwise` replaces an empty name.
  std::string take(std::string_view wanted, std::string_view otherwise = "v");

 private:
  std::set<std::string> taken_;
};

}  // namespace ptox::assembly::cpp
