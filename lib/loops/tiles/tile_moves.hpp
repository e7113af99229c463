// SPDX-License-Identifier: Apache-2.0
// Moves the rows and elements of one tile with the instruction set in use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/isa/host_move.hpp"

namespace ptox {

/// Functions that move one tile. Tables that are far use the loops of kernels.hpp instead.
struct TileMoves {
  /// Moves rows or elements between a tile and the slots of a table that the indices select.
  using Indexed = void (*)(std::byte* tile, std::byte* table, const std::byte* idx, const pto::instr::HostMove&);
  Indexed gather_rows[4], scatter_rows[4];  ///< by HostMove::Form
  Indexed gather_elements;
  Indexed gather(const pto::instr::HostMove& m) const { return gather_rows[static_cast<int>(m.form)]; }
  Indexed scatter(const pto::instr::HostMove& m) const { return scatter_rows[static_cast<int>(m.form)]; }

  /// Copies rows; steps and sizes are in bytes.
  using Copy = void (*)(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                        std::int64_t rows, std::int64_t row_bytes);
  Copy copy;

  /// Combines the elements at `to` with those at `from`, without synchronisation.
  using Update = void (*)(std::byte* to, const std::byte* from, std::int64_t bytes);
  Update (*row_update)(pto::ScatterAtomicOp, pto::instr::DType);
};

/// The functions for the SIMD level in use.
const TileMoves& tile_moves();

}  // namespace ptox
