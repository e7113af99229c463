// SPDX-License-Identifier: Apache-2.0
// Formats numbers with thousands separators (12,345), and computes percentages.
#pragma once

#include <cstdint>
#include <string>

namespace ptox {

template <class Integer>
std::string grouped(Integer n) {
  std::string digits = std::to_string(n);
  for (std::ptrdiff_t i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > (n < 0); i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

/// `part` in percent of `whole`, rounded to nearest; 0 if `whole` is 0. All texts with percentages use it, so that they
/// agree.
constexpr std::uint64_t percent(std::uint64_t part, std::uint64_t whole) {
  return whole ? (part * 100 + whole / 2) / whole : 0;
}

}  // namespace ptox
