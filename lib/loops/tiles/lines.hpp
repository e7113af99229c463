// SPDX-License-Identifier: Apache-2.0
// Tiles and tensors as lines of contiguous blocks, and loops that copy and fill such lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/tile/desc.hpp"

namespace ptox {

/// The rows, or the columns, of a tile or tensor. Byte `b` of line `i` lies at
/// begin + i * step + b / block * block_step + b % block.
struct Lines {
  std::byte* begin = nullptr;  ///< nullptr: the layout has no lines in this direction at a constant step
  std::int64_t step = 0;
  std::int64_t block = INT64_MAX, block_step = 0;  ///< in bytes; one block is the whole line unless the layout is NZ

  std::byte* at(std::int64_t byte) const { return begin + (byte / block) * block_step + byte % block; }
  /// The number of contiguous bytes of a line from this byte on.
  std::int64_t run(std::int64_t byte) const { return block - byte % block; }
};

/// Of a tile that begins at `begin`, from row `r` and column `c` on. Row-major and NZ tiles have rows, column-major
/// tiles have columns; lines of NZ tiles begin at a multiple of C0.
Lines rows_of(const pto::instr::TileDesc& t, std::byte* begin, std::int64_t r = 0, std::int64_t c = 0);
Lines columns_of(const pto::instr::TileDesc& t, std::byte* begin, std::int64_t r = 0, std::int64_t c = 0);
/// Of a tensor whose extents are known. ND and NZ tensors have rows, DN tensors have columns.
Lines rows_of(const pto::instr::TensorDesc& t);
Lines columns_of(const pto::instr::TensorDesc& t);

/// Whether two sets of `count` lines of `bytes` bytes are the same bytes in the same order, or share no byte.
bool same_or_apart(const Lines& a, const Lines& b, std::int64_t count, std::int64_t bytes);
/// Copies `count` lines of `bytes` bytes. The lines are the same or share no byte.
void copy_lines(const Lines& to, const Lines& from, std::int64_t count, std::int64_t bytes);
/// Writes elements of `size` bytes (1, 2, 4 or 8) with this bit pattern.
void fill_lines(const Lines& to, std::int64_t count, std::int64_t bytes, std::int64_t size, std::uint64_t bits);

}  // namespace ptox
