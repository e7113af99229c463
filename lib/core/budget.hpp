// SPDX-License-Identifier: Apache-2.0
// The bytes of UB that a launch gives its tiles, and what would fit.
#pragma once

#include <cstdint>
#include <string>

#include "core/core.hpp"
#include "core/owners.hpp"

namespace ptox {

/// The most rows of the tile's width that lie in `bytes` bytes, in the steps that its layout takes; columns for a tile
/// that is one row.
std::int64_t rows_in(const pto::instr::TileDesc&, std::int64_t bytes);
/// "at most 12 rows of this width fit (tile is 16 rows)", "at most 24 columns fit (tile is 1 row of 64)"
std::string rows_that_fit(const pto::instr::TileDesc&, std::int64_t bytes);
/// The same for a tile at its offset, between the places that others hold and within what the launch gave; and what
/// would fit in the most that a launch can give, where that is more.
std::string rows_that_fit_there(Core&, const pto::instr::TileDesc&);
/// How far automatic tiles may reach: not into what the runtime and the data cache have.
std::int64_t automatic_end(Core&, pto::TileType);
/// The bytes that one more automatic tile can have at most.
std::int64_t automatic_room(Core&, pto::TileType);

/// Says when a tile placed by hand reaches past what the launch gave; asked before it holds its place.
void check_placed(Core&, const pto::instr::TileDesc&, const pto::instr::Site&);
/// Says when automatic tiles, which are static memory, and the dynamic memory of the launch are too much together.
/// `tile` came by its place just now, by hand or by auto mode.
void check_static(Core&, const pto::instr::TileDesc& tile, bool automatic, const pto::instr::Site&);
/// Says when a tile lies where other instructions have their scratch.
void check_scratch(Core&, const pto::instr::TileDesc&, const pto::instr::Site&);
/// Says what is wrong with the numbers that a launch was given.
void check_launch(const Target&, const LaunchOptions&, FindingLog&);

/// The map of a launch that is over: its owners, its limits; empty on the host.
UbMap ub_map(const Target&, std::size_t dyn_ub_bytes, OwnerLog&);

}  // namespace ptox
