// SPDX-License-Identifier: Apache-2.0
// How are the rows and elements of one tile moved? By code for the instruction set in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/isa/host_move.hpp"

namespace ptox {

/// Which rows of a table are asked for before their turn: none, for they are near; a few, for they are on their way;
/// all of the tile's.
enum class Fetch : std::uint8_t { none, few, all };

struct TileMoves {
  /// Between a tile and the slots of a table that its indices name.
  using Indexed = void (*)(std::byte* tile, std::byte* table, const std::byte* idx, const pto::instr::HostMove&);
  Indexed gather_rows[4][3], scatter_rows[4][3];  ///< by HostMove::Form and Fetch
  Indexed gather_elements;
  Indexed gather(const pto::instr::HostMove& m, Fetch f) const {
    return gather_rows[static_cast<int>(m.form)][static_cast<int>(f)];
  }
  Indexed scatter(const pto::instr::HostMove& m, Fetch f) const {
    return scatter_rows[static_cast<int>(m.form)][static_cast<int>(f)];
  }

  /// Rows from one place to another.
  using Copy = void (*)(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                        std::int64_t rows, std::int64_t row_bytes);
  Copy copy;
  Copy stream;  ///< past the caches; visible to others after `fence_streams`

  /// Combines a run of elements with another, by itself.
  using Update = void (*)(std::byte* to, const std::byte* from, std::int64_t bytes);
  Update (*row_update)(pto::ScatterAtomicOp, pto::instr::DType);
};

/// Those of the level in use.
const TileMoves& tile_moves();

/// What was streamed before is in memory before anything later.
void fence_streams();

}  // namespace ptox
