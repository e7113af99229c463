// SPDX-License-Identifier: Apache-2.0
// Formats addresses for messages.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace ptox {

inline std::string hex(std::int64_t n) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(n));
  return digits;
}

}  // namespace ptox
