// SPDX-License-Identifier: Apache-2.0
// How is a large number read at a glance? 12,345.
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

}  // namespace ptox
