// SPDX-License-Identifier: Apache-2.0
// The instruction set that the loops of the host may use.
#pragma once

#include <span>
#include <string_view>

namespace ptox {

enum class Level { baseline, avx2, avx512, avx512fp16, neon };

const char* name(Level);

/// The levels that were compiled in and that this machine supports, from the baseline to the best.
std::span<const Level> levels();

/// The level in use: the best one, unless the environment's PTOX_SIMD or `force_level` selected another.
Level level();

/// Selects the level for all threads from now on; for tests and benchmarks. Throws std::invalid_argument if the machine
/// does not support it.
void force_level(Level);

}  // namespace ptox
