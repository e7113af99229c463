// SPDX-License-Identifier: Apache-2.0
// Names of values in C++.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ptox::assembly::cpp {

/// Names that a file gives, as identifiers that are no keyword, no macro, nothing that printed code spells itself, and
/// used once.
class Names {
 public:
  /// The identifier for `wanted`; `otherwise` stands in for a name that is empty.
  std::string take(std::string_view wanted, std::string_view otherwise = "v");

 private:
  std::set<std::string> taken_;
};

}  // namespace ptox::assembly::cpp
