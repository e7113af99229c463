// SPDX-License-Identifier: Apache-2.0
// Conversions between tiles as values (Level 1) and tiles as buffers (Level 2), tile placement, and flag insertion.
#pragma once

#include "asm/text/module.hpp"
#include "ptox/target.hpp"

namespace ptox::assembly {

/// Level 1 to Level 2: every instruction writes a tile_buf that is created by alloc_tile. A module at Level 2 is
/// unchanged. Returns false after adding an error.
bool to_level2(Module& module, Diagnostics& out);
/// Level 2 to Level 1: tiles become SSA values. Returns false, after adding an error, if the module cannot be expressed
/// with values.
bool to_level1(Module& module, Diagnostics& out);

/// Adds the staging tiles that collectives need but do not name. If the operation lists the types of its staging tiles,
/// these are used. Otherwise, with `defaults`, it gets one Vec tile as large as the tensor of a rank, at most 32 KiB
/// (treduce gets two). Returns false after adding an error.
bool stage_collectives(Module& module, bool defaults, Diagnostics& out);

/// Gives every alloc_tile without an address one that is aligned to 32 bytes and does not overlap tiles placed by hand.
/// Tiles with disjoint live ranges may share bytes. If they do not fit, adds an error with a map of UB and returns
/// false.
bool place_tiles(Module& module, const Target& target, Diagnostics& out);

/// Adds the flags between pipes that the target needs. Precondition: all tiles have addresses.
bool insert_sync(Module& module, const Target& target, Diagnostics& out);

}  // namespace ptox::assembly
