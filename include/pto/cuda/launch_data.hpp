// SPDX-License-Identifier: Apache-2.0
// Data that a launch on an accelerator and its blocks exchange.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pto::instr::cuda {

/// A finding of a block as plain data, from which the host composes the message.
struct Found {
  enum class Kind : std::int32_t {
    illegal,             ///< operands violate a rule
    null_tensor,         ///< value: number of elements
    index_outside,       ///< value: first such index, its row and column, the highest such index
    index_misaligned,    ///< value: as for index_outside
    index_negative,      ///< value: as for index_outside
    index_twice,         ///< value: index, row and column of a position, then of a later one with the same slot
    outside_allocation,  ///< value: first and last byte relative to the allocation, size of the allocation
    no_room,             ///< no space for an automatic tile; value: bytes in use
    past_end,            ///< TASSIGN outside UB; value: offset
    misaligned,          ///< TASSIGN to a misaligned offset; value: offset
    clobber,             ///< TASSIGN onto an automatic tile; value: offset, begin and end of that tile
    too_many_tiles,      ///< the list of tiles is full; value: its length
    outside_tile,        ///< value: row, column, rows, columns
    outside_elements,    ///< value: position
    valid_contradicts,   ///< value: extent in the type, extent given
    extent_contradicts,  ///< value: dimension, extent in the type, extent given
    no_such_dim          ///< value: dimension
  };
  static constexpr int most_values = 6, most_name = 32, most_file = 192, most_operands = 512;

  std::uint32_t state;  ///< 0: free, 1: being written, 2: complete
  Kind kind;
  std::int32_t instruction;  ///< position in AllInstructions; -1: none
  std::int32_t block, line;
  char name[most_name];  ///< the operand, or the function that reports the finding
  char file[most_file];
  std::int64_t value[most_values];
  unsigned long long count;
  alignas(8) std::byte operands[most_operands];  ///< operands of the instruction, or the descriptor of the tile
};

/// The results of all blocks of a launch, in device memory; all zero before the launch.
struct LaunchResult {
  static constexpr int most_found = 64;

  unsigned long long used;      ///< one past the highest byte of UB that a tile of any block occupied
  unsigned long long left_out;  ///< findings for which `found` had no free entry
  std::uint32_t any_found;
  Found found[most_found];
};

/// An allocation of global memory that is in the registry of the host.
struct Allocation {
  std::uint64_t begin, bytes;
  std::uint64_t reach;  ///< a tensor whose base is less than this many bytes after `begin` belongs to the allocation
};

/// The launch parameters, which are passed to every block.
struct LaunchData {
  LaunchResult* result;
  std::int64_t ub_bytes;      ///< size of UB in shared memory
  std::int64_t ub_limit;      ///< maximum size of UB
  std::byte* slots;           ///< global memory for the UB of blocks that need more than ub_bytes
  std::uint32_t* slot_taken;  ///< one flag for each slot
  std::int64_t slot_bytes;    ///< distance between slots
  std::int32_t slot_count;
  std::int32_t allocation_count;
  const Allocation* allocations;  ///< in checked launches: all in the registry, sorted by address
  bool checked;                   ///< indices and tensors are checked
};

}  // namespace pto::instr::cuda
