// SPDX-License-Identifier: Apache-2.0
// Kernels that do a case tile by tile: load indices, move rows by index, load or store rows.
#pragma once

#include "bench/gpu/cases.hpp"
#include "bench/gpu/straight.hpp"

namespace ptox::bench::gpu {

/// Whether there is a tile kernel for this case.
bool has_tiles(const Case&);
/// Runs the tile kernel and waits for it. Throws std::runtime_error if its report is not clean.
void by_tiles(const Case&, const Buffers&);

}  // namespace ptox::bench::gpu
