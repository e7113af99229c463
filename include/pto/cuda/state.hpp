// SPDX-License-Identifier: Apache-2.0
// State that the threads of a block share.
#pragma once

#include "pto/cuda/flight.hpp"
#include "pto/cuda/holes.hpp"
#include "pto/cuda/last.hpp"
#include "pto/cuda/launch_data.hpp"

namespace pto::instr::cuda {

// Positions are stored as their bitwise complement, so that an atomic maximum finds the first one.

/// The invalid indices of one instruction, of one kind.
struct Offenders {
  std::uint32_t count;
  std::uint32_t first;  ///< complement of the first position
  std::uint32_t high;   ///< the largest invalid index
};

/// The positions of one instruction that select a slot which an earlier position has selected.
struct Twice {
  std::uint32_t count;
  std::uint32_t second, first;  ///< complements of the first such position, and of the first one of its slot
};

/// The ranges of global memory that leave their allocation.
struct Outside {
  std::uint32_t count;
  std::uint32_t first;  ///< complement of the first row or element with such a range
};

/// The shared state of a block, in shared memory beside UB. Members that are not updated atomically are written by
/// thread 0.
struct State {
  LaunchData launch;
  std::byte* ub;          ///< shared memory, or a slot of global memory
  std::int64_t ub_bytes;  ///< size of UB there
  std::int64_t answer;    ///< a result that thread 0 passes to all threads
  std::int32_t slot;      ///< the slot of global memory that holds UB; -1: none
  bool in_shared;
  Flight<4> loads;         ///< copies into UB
  Flight<2> stores;        ///< copies out of UB
  std::uint8_t wrote[32];  ///< by warp: whether threads stored to global memory directly since the last TSTORE
  Holes holes;
  LastScratch last;
  Offenders outside, misaligned, negative;
  Twice twice;
  Outside ranges;
};

}  // namespace pto::instr::cuda
