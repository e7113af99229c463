// SPDX-License-Identifier: Apache-2.0
// Moves rows from memory to memory through a staging tile on the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptox {

/// Rows of bytes at one place, and how far apart they lie.
struct Rows2D {
  std::byte* at;
  std::int64_t step;
};

/// Copies rows in pieces that stay in the first cache between the load into `tile`, which has room for `room` bytes,
/// and the store. `stream`: stores go past the caches; fence later.
void carry(std::byte* tile, std::int64_t room, Rows2D from, Rows2D to, std::int64_t rows, std::int64_t row_bytes,
           bool stream);

}  // namespace ptox
