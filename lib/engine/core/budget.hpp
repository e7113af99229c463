// SPDX-License-Identifier: Apache-2.0
// Checks tiles against the bytes of UB that a launch provides, and computes what would fit.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/core.hpp"
#include "engine/memory/owners.hpp"

namespace ptox {

/// The number of rows of the tile's width that fit into `bytes` bytes, rounded down to what its layout allows; for a
/// tile of one row, the number of columns.
std::int64_t rows_in(const pto::instr::TileDesc&, std::int64_t bytes);
/// "at most 12 rows of this width fit (tile is 16 rows)", "at most 24 columns fit (tile is 1 row of 64)"
std::string rows_that_fit(const pto::instr::TileDesc&, std::int64_t bytes);
/// The same for a tile at its offset: up to the next occupied place and within the budget of the launch. Also tells
/// what fits with the largest possible dynUBufSize, if that is more.
std::string rows_that_fit_there(Core&, const pto::instr::TileDesc&);
/// The end of the bytes that automatic tiles may use. In UB this excludes what the runtime and the data cache occupy.
std::int64_t automatic_end(Core&, pto::TileType);
/// The size in bytes of the largest automatic tile that could be added now.
std::int64_t automatic_room(Core&, pto::TileType);

/// Records a Need if a tile placed by TASSIGN exceeds the budget of the launch. Call it before the tile occupies its
/// place.
void check_placed(Core&, const pto::instr::TileDesc&, const pto::instr::Site&);
/// Records a Need if automatic tiles (static memory) and the launch's dynUBufSize (dynamic memory) together exceed the
/// budget. `tile` has just been placed: by auto mode if `automatic`, otherwise by TASSIGN.
void check_static(Core&, const pto::instr::TileDesc& tile, bool automatic, const pto::instr::Site&);
/// Reports a tile that overlaps the bytes of UB that other instructions use as scratch.
void check_scratch(Core&, const pto::instr::TileDesc&, const pto::instr::Site&);
/// Reports a dynUBufSize that the target ignores or that exceeds its maximum.
void check_launch(const Target&, const LaunchOptions&, FindingLog&);

/// The UB map of a finished launch: owners and limits; empty on the host. Empties the log.
UbMap ub_map(const Target&, std::size_t dyn_ub_bytes, OwnerLog&);

}  // namespace ptox
