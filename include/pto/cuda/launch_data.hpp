// SPDX-License-Identifier: Apache-2.0
// Data that a launch on an accelerator and its blocks exchange.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pto::instr::cuda {

/// One thing that a block found, as plain data; the host makes words of it.
struct Found {
  enum class Kind : std::int32_t {
    illegal,             ///< operands break a rule
    null_tensor,         ///< value: elements
    index_outside,       ///< value: index, row, column, highest
    index_misaligned,    ///< the same
    index_negative,      ///< the same
    index_twice,         ///< value: index, row, column of one, then of a later one of its slot
    outside_allocation,  ///< value: first and last byte, from its begin, and the bytes that it has
    no_room,             ///< for an automatic tile; value: in use
    past_end,            ///< a place by hand; value: offset
    misaligned,          ///< a place by hand; value: offset
    clobber,             ///< a place by hand on an automatic tile; value: offset, where that begins and ends
    too_many_tiles,      ///< the list of places is full; value: its length
    outside_tile,        ///< value: row, column, rows, columns
    outside_elements,    ///< value: position
    valid_contradicts,   ///< value: in the type, given
    extent_contradicts,  ///< value: dimension, in the type, given
    no_such_dim          ///< value: dimension
  };
  static constexpr int most_values = 6, most_name = 32, most_file = 192, most_operands = 512;

  std::uint32_t state;  ///< 0 free, 1 being written, 2 there
  Kind kind;
  std::int32_t instruction;  ///< in AllInstructions, -1: none
  std::int32_t block, line;
  char name[most_name];  ///< the operand, or who found it
  char file[most_file];
  std::int64_t value[most_values];
  unsigned long long count;
  alignas(8) std::byte operands[most_operands];  ///< the instruction's, or the tile
};

/// What the blocks of a launch leave, in the accelerator's memory; all zero before.
struct LaunchResult {
  static constexpr int most_found = 64;

  unsigned long long used;      ///< the highest byte that a tile of any block reached
  unsigned long long left_out;  ///< findings that found no place below
  std::uint32_t any_found;
  Found found[most_found];
};

/// Bytes of global memory that the host knows as one allocation.
struct Allocation {
  std::uint64_t begin, bytes;
  std::uint64_t reach;  ///< how far on from its begin a tensor may begin that belongs to it
};

/// What a launch gives each of its blocks.
struct LaunchData {
  LaunchResult* result;
  std::int64_t ub_bytes;      ///< in shared memory
  std::int64_t ub_limit;      ///< how far tiles may reach
  std::byte* slots;           ///< for blocks that need more than they were given
  std::uint32_t* slot_taken;  ///< one a slot
  std::int64_t slot_bytes;    ///< from a slot to the next
  std::int32_t slot_count;
  std::int32_t allocation_count;
  const Allocation* allocations;  ///< where checked: those the host knows, in order of addresses
  bool checked;                   ///< indices and tensors are watched
};

}  // namespace pto::instr::cuda
