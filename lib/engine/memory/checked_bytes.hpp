// SPDX-License-Identifier: Apache-2.0
// The size of an allocation in bytes, checked for overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "engine/memory/registry.hpp"

namespace ptox {

/// count * element_bytes. Throws std::invalid_argument when the count is negative or the size with red zones exceeds 63
/// bits; `who` is the function that the message names.
inline std::size_t checked_bytes(const char* who, std::int64_t count, std::size_t element_bytes) {
  std::size_t bytes = 0;
  const bool fits = count >= 0 && !__builtin_mul_overflow(static_cast<std::size_t>(count), element_bytes, &bytes) &&
                    bytes <= static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) - 2 * red_zone_bytes;
  if (fits) return bytes;
  throw std::invalid_argument(std::string(who) + ": count " + std::to_string(count) + " of " +
                              std::to_string(element_bytes) + "-byte elements is " +
                              (count < 0 ? "negative" : "more than 63 bits of bytes"));
}

}  // namespace ptox
