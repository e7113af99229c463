// SPDX-License-Identifier: Apache-2.0
// The constants of the time estimate.
//
// "published" and "fitted" numbers are compared with published points in tests/observe/cost_test.cpp; "assumed" ones
// have no point to compare with.
#pragma once

#include <cstdint>
#include <iterator>

#include "engine/memory/data_cache.hpp"
#include "ptox/target.hpp"

namespace ptox {

/// A transfer of a DMA engine takes `start_cycles`, and time for its bytes at a constant rate.
struct DmaTiming {
  double start_cycles, bytes_per_cycle;
};

/// Cycles of operations of the scalar unit.
struct ScalarTiming {
  double index_read, descriptor;  ///< assumed: reading an index from UB; passing a transfer or launch to a pipe
  double operation, ub_access;    ///< assumed
  double gm_miss, gm_hit;         ///< assumed: an access to another cache line than the last; to the same one
  std::int64_t line_bytes;        ///< assumed: of its data cache
};

/// Gathers and scatters of warps: launch + start, one miss latency for each pass of the warps over their rows, and the
/// time in the miss queue of lines beyond those that a warp keeps in flight.
struct SimtTiming {
  double launch, hit, miss, most_bytes_per_cycle;     ///< published
  std::int64_t outstanding, cache_lines, line_bytes;  ///< published
  std::int64_t loads_a_warp;                          ///< published: unroll factor of the loop over a row
  double start, fill;                                 ///< fitted: per launch; per line while the cache still has room
  std::int64_t roomy_lines;  ///< fitted: lines until each new one evicts another and waits in the miss queue
  double lanes_per_cycle;    ///< assumed: for remapping and for comparing slots with indices
};

/// Tile operations of the vector unit.
struct VectorTiming {
  double start_cycles, bytes_per_cycle, lanes_per_cycle;  ///< assumed; lanes: elements selected by an index
};

/// A get from another rank: chunks one after another.
struct RemoteTiming {
  std::int64_t chunk_bytes;
  double ticks_a_chunk;  ///< fitted, in ticks of an unstated clock
};

struct Timing {
  double flag_cycles;  ///< published: a set, and a wait for a flag that is set already
  DmaTiming load, store;
  ScalarTiming scalar;
  VectorTiming vector;
  SimtTiming simt;
  RemoteTiming remote;
};

namespace timing {

inline constexpr ScalarTiming scalar{.index_read = 8,
                                     .descriptor = 16,
                                     .operation = 1,
                                     .ub_access = 8,
                                     .gm_miss = 200,
                                     .gm_hit = 8,
                                     .line_bytes = cache_line_bytes};

inline constexpr Timing a2a3{.flag_cycles = 1,
                             .load = {214, 143.5},
                             .store = {107, 16.4},
                             .scalar = scalar,
                             .vector = {16, 128, 8},
                             .simt = {},
                             .remote = {4096, 36.86}};

/// Its DMA engines and scalar unit are assumed to be those of a2a3.
inline constexpr Timing a5{.flag_cycles = 1,
                           .load = a2a3.load,
                           .store = a2a3.store,
                           .scalar = scalar,
                           .vector = {16, 256, 16},
                           .simt = {.launch = 1100,
                                    .hit = 19,
                                    .miss = 550,
                                    .most_bytes_per_cycle = 25,
                                    .outstanding = 64,
                                    .cache_lines = 1024,
                                    .line_bytes = cache_line_bytes,
                                    .loads_a_warp = 4,
                                    .start = 246,
                                    .fill = 2.37,
                                    .roomy_lines = 576,
                                    .lanes_per_cycle = 32},
                           .remote = a2a3.remote};

/// Indexed by the target's id; there is no estimate for the host and accelerators.
inline constexpr const Timing* all[] = {nullptr, &a2a3, &a5, nullptr};
static_assert(std::size(all) == std::size(target::all));

}  // namespace timing

/// nullptr for targets without an estimate.
constexpr const Timing* timing_of(const Target& t) { return timing::all[t.id]; }

}  // namespace ptox
