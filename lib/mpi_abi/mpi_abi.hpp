// SPDX-License-Identifier: Apache-2.0
// The memory by which the processes that `ptox check --ranks` starts implement the MPI calls of host programs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ptox::mpi_abi {

/// Names the descriptor of the memory; the rank and the number of ranks are in PTOX_RANK and PTOX_RANKS.
inline constexpr const char* memory_variable = "PTOX_MPI_MEMORY";

/// Shared by all processes, zeroed at first.
struct Shared {
  static constexpr std::size_t most_bytes = 65536, most_ranks = 1024;
  std::atomic<std::uint32_t> arrived;             ///< how many processes have arrived at the current barrier
  std::atomic<std::uint32_t> round;               ///< number of barriers that are complete; a futex
  std::atomic<std::uint32_t> rounds[most_ranks];  ///< at how many barriers each process has arrived
  char data[most_bytes];                          ///< a part of what MPI_Bcast sends
};

}  // namespace ptox::mpi_abi
