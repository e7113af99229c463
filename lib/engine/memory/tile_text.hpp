// SPDX-License-Identifier: Apache-2.0
// Formats tiles for messages.
#pragma once

#include <string>

#include "pto/tile/desc.hpp"

namespace ptox {

/// "f32 64x32"
std::string shape_text(const pto::instr::TileDesc&);
/// "f32 64x32 RowMajor (valid 60x?)"; the valid extents only if they differ from the tile's or are unknown.
std::string tile_text(const pto::instr::TileDesc&);
/// "1024 bytes (f32 8x32)"
std::string size_text(const pto::instr::TileDesc&);

}  // namespace ptox
