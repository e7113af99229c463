// SPDX-License-Identifier: Apache-2.0
// Kernels that do the same tile by tile: indices in, rows by index, rows out.
#pragma once

#include "bench/gpu/cases.hpp"
#include "bench/gpu/straight.hpp"

namespace ptox::bench::gpu {

/// Whether there is a kernel of tiles for this case.
bool has_tiles(const Case&);
/// Runs it and waits. Throws std::runtime_error when its report is not clean.
void by_tiles(const Case&, const Buffers&);

}  // namespace ptox::bench::gpu
