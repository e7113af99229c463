// SPDX-License-Identifier: Apache-2.0
// State that the threads of a block share.
#pragma once

#include "pto/cuda/flight.hpp"
#include "pto/cuda/holes.hpp"
#include "pto/cuda/last.hpp"
#include "pto/cuda/launch_data.hpp"

namespace pto::instr::cuda {

/// Indices of one instruction that are not as they should be.
struct Offenders {
  std::uint32_t count;
  std::uint32_t first;  ///< position of the first, counted down from the largest number
  std::uint32_t high;
};

/// Positions of one instruction that name a slot which one before them names.
struct Twice {
  std::uint32_t count;
  std::uint32_t second, first;  ///< the first such position and that one, both counted down from the largest number
};

/// Ranges of global memory that leave their allocation.
struct Outside {
  std::uint32_t count;
  std::uint32_t first;  ///< row or element that has one, counted down from the largest number
};

/// In shared memory, beside UB. Thread 0 writes what is not atomic.
struct State {
  LaunchData launch;
  std::byte* ub;          ///< shared memory, or a slot of global memory
  std::int64_t ub_bytes;  ///< that lie there
  std::int64_t answer;    ///< of thread 0 to all
  std::int32_t slot;      ///< of global memory, -1: none
  bool in_shared;
  Flight<4> loads;         ///< into UB
  Flight<2> stores;        ///< out of it
  std::uint8_t wrote[32];  ///< a warp: whether threads stored to global memory since the last TSTORE
  Holes holes;
  LastScratch last;
  Offenders outside, misaligned, negative;
  Twice twice;
  Outside ranges;
};

}  // namespace pto::instr::cuda
