// SPDX-License-Identifier: Apache-2.0
// Formats large numbers and shares: 12,345, or 12 % of another number.
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

/// Rounded to the nearest; every text that gives a share uses it, so that two of them agree.
constexpr std::uint64_t percent(std::uint64_t part, std::uint64_t whole) {
  return whole ? (part * 100 + whole / 2) / whole : 0;
}

}  // namespace ptox
