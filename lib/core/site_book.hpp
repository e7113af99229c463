// SPDX-License-Identifier: Apache-2.0
// Creates objects of std::source_location for lines that are known at run time only.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <string>

#include "pto/tile/place.hpp"

namespace ptox {

/// Call sites with a file and line given at run time. libstdc++'s source_location is a pointer to the four fields of
/// Entry, with g++ and with clang; a test verifies this. The call sites are valid as long as the book exists.
class SiteBook {
 public:
  pto::instr::Site add(std::string file, std::uint32_t line, std::uint32_t column, const std::string& function) {
    static_assert(sizeof(pto::instr::Site) == sizeof(void*));
    texts_.push_back(std::move(file));
    const char* name = texts_.back().c_str();
    texts_.push_back(function);
    entries_.push_back({name, texts_.back().c_str(), line, column});
    return std::bit_cast<pto::instr::Site>(static_cast<const Entry*>(&entries_.back()));
  }

 private:
  struct Entry {
    const char* file;
    const char* function;
    std::uint32_t line, column;
  };
  std::deque<std::string> texts_;
  std::deque<Entry> entries_;
};

}  // namespace ptox
