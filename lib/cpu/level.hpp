// SPDX-License-Identifier: Apache-2.0
// The instruction set that the loops of the host may use.
#pragma once

#include <span>
#include <string_view>

namespace ptox {

enum class Level { baseline, avx2, avx512, avx512fp16, neon };

const char* name(Level);

/// Those that were built and that this machine has, the baseline first, the best last.
std::span<const Level> levels();

/// The one in use: the best, unless PTOX_SIMD or `force_level` said otherwise.
Level level();

/// From now on, on all threads; for tests and benchmarks. One that the machine lacks throws std::invalid_argument.
void force_level(Level);

}  // namespace ptox
