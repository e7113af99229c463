// SPDX-License-Identifier: Apache-2.0
// Moves rows from memory to memory through a staging tile on the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptox {

/// Rows that begin at `at` and are `step` bytes apart.
struct Rows2D {
  std::byte* at;
  std::int64_t step;
};

/// Copies rows through `tile`, which has room for `room` bytes, in pieces that stay in L1 between the load and the
/// store. `stream`: the stores are non-temporal, and the caller fences later.
void carry(std::byte* tile, std::int64_t room, Rows2D from, Rows2D to, std::int64_t rows, std::int64_t row_bytes,
           bool stream);

}  // namespace ptox
