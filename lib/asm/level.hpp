// SPDX-License-Identifier: Apache-2.0
// From tiles as values to tiles as buffers, with places and flags, and back.
#pragma once

#include "asm/module.hpp"
#include "ptox/target.hpp"

namespace ptox::assembly {

/// Level 1 to Level 2: every instruction writes a tile_buf that alloc_tile makes. A module that is at Level 2 stays as
/// it is. False with an error.
bool to_level2(Module& module, Diagnostics& out);
/// Level 2 to Level 1: tiles are values. False with an error that says what values cannot express.
bool to_level1(Module& module, Diagnostics& out);

/// Collectives get the staging tiles that their text leaves out: those that it says the types of and, with `defaults`,
/// where it says none, a Vec tile as large as a rank's tensor, 32 KiB at most; a treduce gets two. False with an error.
bool stage_collectives(Module& module, bool defaults, Diagnostics& out);

/// Gives every alloc_tile without one an address: 32-byte aligned, clear of those given by hand, bytes of dead tiles
/// used again. False with an error that shows the map of UB when they do not fit.
bool place_tiles(Module& module, const Target& target, Diagnostics& out);

/// Adds the flags between pipes that the target needs, to a module whose tiles have places.
bool insert_sync(Module& module, const Target& target, Diagnostics& out);

}  // namespace ptox::assembly
