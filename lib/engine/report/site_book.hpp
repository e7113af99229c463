// SPDX-License-Identifier: Apache-2.0
// Creates call sites for lines that are known at run time only.
#pragma once

#include <set>
#include <string>

#include "pto/tile/place.hpp"

namespace ptox {

/// Call sites with a file and line given at run time. They are valid as long as the book exists.
class SiteBook {
 public:
  pto::instr::Site add(const std::string& file, int line) { return {files_.insert(file).first->c_str(), line}; }

 private:
  std::set<std::string> files_;
};

}  // namespace ptox
