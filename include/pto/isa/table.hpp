// SPDX-License-Identifier: Apache-2.0
// Maps indices to slots and slots to offsets, and defines the order of rows and elements.
#pragma once

#include <cstdint>

#include "pto/isa/policy.hpp"
#include "pto/tile/desc.hpp"
#include "pto/tile/target.hpp"

namespace pto::instr {

/// A table as one target addresses it.
struct Table {
  const TensorDesc& tensor;
  ptox::RowAddress row_address;
  bool by_row;
  std::int64_t valid_cols;

  constexpr Table(const ptox::Target& t, const TensorDesc& tensor_, Coalesce mode, std::int64_t valid_cols_)
      : tensor(tensor_), row_address(t.row_address), by_row(mode == Coalesce::Row), valid_cols(valid_cols_) {}
  /// The rows of the tensor as TLOAD and TSTORE address them, which is the same on every target.
  constexpr explicit Table(const TensorDesc& tensor_)
      : tensor(tensor_), row_address(ptox::RowAddress::mixed_radix), by_row(true), valid_cols(tensor_.cols()) {}

  /// The number of slots of the table.
  constexpr std::int64_t capacity() const {
    if (!by_row) return tensor.numel();
    const bool packed = tensor.layout == Layout::ND && row_address == ptox::RowAddress::packed;
    return packed ? tensor.shape[3] : tensor.rows();
  }
  /// Element offset of column c of a row, or of an element (c is then ignored).
  constexpr std::int64_t offset(std::int64_t slot, std::int64_t c) const {
    if (!by_row)
      return tensor.layout != Layout::NZ ? slot : element_offset(tensor, slot / tensor.cols(), slot % tensor.cols());
    if (tensor.layout == Layout::ND && row_address == ptox::RowAddress::row_stride) return slot * tensor.stride[3] + c;
    if (tensor.layout == Layout::ND && row_address == ptox::RowAddress::packed) return slot * valid_cols + c;
    return element_offset(tensor, slot, c);
  }
};

/// The slot that an index selects, or none.
struct Slot {
  static constexpr std::int64_t none = -1;
  std::int64_t at = none;
  constexpr explicit operator bool() const { return at >= 0; }
};

/// The slot of an index under a policy. The index is unsigned, and the arithmetic has 64 bits. A slot is always less
/// than the capacity.
constexpr Slot remap(std::uint32_t index, std::int64_t capacity, OutOfRange policy) {
  if (index < capacity) return {index};
  if (capacity == 0) return {};
  if (policy == OutOfRange::clamp) return {capacity - 1};
  if (policy == OutOfRange::wrap) return {index % capacity};
  return {};
}

/// A row and column of a tile.
struct Position {
  std::int64_t r, c;
};
/// The position of the index for row r (Row) or element (r, c) (Elem).
constexpr Position index_position(const TileDesc& idx, Coalesce mode, std::int64_t r, std::int64_t c) {
  if (mode == Coalesce::Elem) return {r, c};
  return idx.valid_rows == 1 ? Position{0, r} : Position{r, 0};
}

/// The number of columns that are moved of a row. Some machines always move all columns of an NZ row.
constexpr std::int64_t lane_cols(const ptox::Target& t, const TileDesc& tile, const TensorDesc& table, Coalesce mode) {
  const bool whole = t.nz_rows_whole && table.layout == Layout::NZ && mode == Coalesce::Row;
  return whole ? table.cols() : tile.valid_cols;
}

/// The end of the bytes of the tile's buffer that are accessed. It lies past the tile if whole NZ rows are wider than
/// the tile.
constexpr std::int64_t lane_end(const ptox::Target& t, const TileDesc& tile, const TensorDesc& table, Coalesce mode) {
  const std::int64_t cols = lane_cols(t, tile, table, mode);
  constexpr std::int64_t past_any_buffer = std::int64_t{1} << 32;
  if (cols <= tile.cols) return tile.end();
  if (cols > past_any_buffer) return past_any_buffer;
  return tile.offset + (element_offset(tile, tile.valid_rows - 1, cols - 1) + 1) * size_of(tile.dtype);
}

/// Visits every (r, c), in blocks of `block_cols` columns: by block, row, and column in the block. If block_cols is
/// cols, this is row-major order.
template <class V>
constexpr void walk(std::int64_t rows, std::int64_t cols, std::int64_t block_cols, V&& visit) {
  for (std::int64_t first = 0; first < cols; first += block_cols)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = first; c < cols && c < first + block_cols; ++c) visit(r, c);
}

/// The block_cols of `walk`: all columns, unless the machine processes elements of an NZ table block by block.
constexpr std::int64_t walk_block(const ptox::Target& t, const TileDesc& tile, const TensorDesc& table, Coalesce mode,
                                  std::int64_t cols) {
  const bool by_block = t.nz_elem_by_block && table.layout == Layout::NZ && mode == Coalesce::Elem;
  return by_block ? c0_of(tile.dtype) : cols;
}

/// Zeroes a whole padded tile.
template <class M>
void clear(M& m, const TileDesc& t) {
  for (std::int64_t r = 0; r < t.rows; ++r)
    for (std::int64_t c = 0; c < t.cols; ++c) m.zero(m.at(t, r, c), t.dtype);
}

}  // namespace pto::instr
