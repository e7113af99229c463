// SPDX-License-Identifier: Apache-2.0
#include "loops/carry.hpp"

#include <algorithm>

#include "loops/kernels.hpp"

namespace ptox {

void carry(std::byte* tile, std::int64_t room, Rows2D from, Rows2D to, std::int64_t rows, std::int64_t row_bytes,
           bool stream) {
  constexpr std::int64_t most = 4096;
  if (from.step == row_bytes && to.step == row_bytes) row_bytes *= rows, rows = 1;
  const std::int64_t piece = std::min(room, most);
  const auto copy = kernels().copy;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t at = 0; at < row_bytes; at += piece) {
      const std::int64_t n = std::min(piece, row_bytes - at);
      copy(tile, from.at + r * from.step + at, n, false);
      copy(to.at + r * to.step + at, tile, n, stream);
    }
}

}  // namespace ptox
