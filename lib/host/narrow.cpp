// SPDX-License-Identifier: Apache-2.0
// Converts 64-bit indices to 32 bits where they fit.
#include <stdexcept>
#include <string>
#include <utility>

#include "ptox/ops.hpp"

namespace ptox::detail {

namespace {

template <class I>
std::int64_t narrow_to(const std::int64_t* from, I* to, std::int64_t count) {
  std::int64_t lost = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool fits = std::in_range<I>(from[i]);
    to[i] = fits ? static_cast<I>(from[i]) : static_cast<I>(-1);
    lost += !fits;
  }
  return lost;
}

}  // namespace

std::int64_t narrow(const std::int64_t* from, std::int32_t* to, std::int64_t count) {
  return narrow_to(from, to, count);
}
std::int64_t narrow(const std::int64_t* from, std::uint32_t* to, std::int64_t count) {
  return narrow_to(from, to, count);
}

void refuse_narrow(std::int64_t from, std::int64_t to) {
  throw std::invalid_argument("narrow_indices: from has " + std::to_string(from) + " indices, to has room for " +
                              std::to_string(to));
}

void refuse_rows(std::int64_t count, std::int64_t width) {
  throw std::invalid_argument("rows_of: " + std::to_string(count) + " elements do not make rows of width " +
                              std::to_string(width));
}

}  // namespace ptox::detail
