// SPDX-License-Identifier: Apache-2.0
// Call sites whose line does not come from the compiler, behind std::source_location.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <string>

#include "pto/tile/place.hpp"

namespace ptox {

/// Call sites that no compiler made. libstdc++'s source_location is a pointer to the four fields below, in g++ and in
/// clang; a test holds it to that. They live as long as the book.
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
