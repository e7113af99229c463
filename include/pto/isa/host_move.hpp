// SPDX-License-Identifier: Apache-2.0
// HostMove: a move on the host as plain data, in which everything that depends on the operand types is resolved.
#pragma once

#include <cstdint>

#include "pto/isa/policy.hpp"
#include "pto/tile/desc.hpp"

namespace pto::instr {

/// A move of rows or elements between a tile and global memory, without the addresses. If the operand types are static,
/// it is a compile-time constant of the call site.
struct HostMove {
  enum class Kind : std::uint8_t { none, rows, elements };  // none: not rows at a constant stride
  /// dense_N: rows of N bytes without gaps in the tile, whose 4-byte indices have no gaps either.
  enum class Form : std::uint8_t { any, dense_64, dense_128, dense_256 };
  Kind kind = Kind::none;
  Form form = Form::any;
  bool far = false;  ///< the table is larger than 512 KiB
  OutOfRange oob = OutOfRange::undefined;
  ScatterAtomicOp op = ScatterAtomicOp::None;
  DType dtype = DType::f32;
  TileType loc = TileType::Vec;
  std::int64_t rows = 0, row_bytes = 0;
  std::int64_t tile_step = 0, gm_step = 0;     ///< bytes from one row to the next
  std::int64_t capacity = 0;                   ///< number of slots of the table
  std::int64_t idx_step = 0;                   ///< bytes from a row's first index to the next row's first index
  std::int64_t tile_bytes = 0, idx_bytes = 0;  ///< sizes of the tiles in their buffers
};

constexpr bool plain_rows(const TileDesc& t) { return !t.boxed() && t.blayout == BLayout::RowMajor; }
constexpr bool plain_rows(const TensorDesc& t) { return t.layout == Layout::ND && t.stride[4] == 1; }

/// The distance in elements between consecutive rows of an ND tensor; `unknown` if it is not constant.
constexpr std::int64_t row_step(const TensorDesc& t) {
  std::int64_t step = unknown, rows = 1;
  for (int i = 3; i >= 0; --i) {
    if (t.shape[i] == 1) continue;
    if (!known(step)) step = t.stride[i];
    std::int64_t expected = 0;
    if (mul_overflows(step, rows, &expected) || expected != t.stride[i]) return unknown;
    if (mul_overflows(rows, t.shape[i], &rows)) return unknown;
  }
  return known(step) ? step : 0;
}

/// The distance in elements between the indices of consecutive tile rows (Coalesce::Row).
constexpr std::int64_t row_index_step(const TileDesc& idx) {
  if (idx.valid_rows == 1) return idx.blayout == BLayout::RowMajor ? 1 : idx.rows;
  return idx.blayout == BLayout::RowMajor ? idx.cols : 1;
}

namespace detail {

/// The common part of the moves of TLOAD, TSTORE, TPREFETCH and of indexed moves by row.
constexpr HostMove move_of_rows(const TileDesc& tile, const TensorDesc& tensor) {
  const std::int64_t size = size_of(tile.dtype), step = plain_rows(tensor) ? row_step(tensor) : unknown;
  HostMove m{.dtype = tile.dtype, .loc = tile.loc, .tile_bytes = tile.bytes()};
  if (!known(step) || mul_overflows(step, size, &m.gm_step)) return m;
  m.kind = HostMove::Kind::rows;
  m.rows = tile.valid_rows, m.row_bytes = tile.valid_cols * size, m.tile_step = tile.cols * size;
  return m;
}

}  // namespace detail

/// The move between the valid region of a tile and the same region of a tensor. If both are contiguous, it consists of
/// one row.
constexpr HostMove transfer_move(const TileDesc& tile, const TensorDesc& tensor) {
  if (!plain_rows(tile)) return {};
  HostMove m = detail::move_of_rows(tile, tensor);
  if (m.tile_step == m.row_bytes && m.gm_step == m.row_bytes) m.row_bytes *= m.rows, m.rows = 1;
  return m;
}

/// The form of the rows of an indexed move.
constexpr HostMove::Form form_of(const HostMove& m) {
  const bool dense = m.tile_step == m.row_bytes && m.idx_step == 4;
  if (dense && m.row_bytes == 64) return HostMove::Form::dense_64;
  if (dense && m.row_bytes == 128) return HostMove::Form::dense_128;
  return dense && m.row_bytes == 256 ? HostMove::Form::dense_256 : HostMove::Form::any;
}

/// The move between a tile and the rows or elements of a table that its indices select.
constexpr HostMove indexed_move(const TileDesc& tile, const TensorDesc& table, const TileDesc& idx,
                                CoalesceChoice coalesce, OutOfRange oob, ScatterAtomicOp op = ScatterAtomicOp::None) {
  if (!plain_rows(tile)) return {};
  HostMove m = detail::move_of_rows(tile, table);
  m.oob = oob, m.op = op, m.idx_bytes = idx.bytes();
  constexpr std::int64_t near_bytes = 512 * 1024;
  if (coalesce.row()) {
    m.capacity = table.rows(), m.idx_step = row_index_step(idx) * size_of(idx.dtype);
    m.far = m.capacity > 0 && m.gm_step > near_bytes / m.capacity;
    m.form = form_of(m);
    return m;
  }
  const bool flat = table.layout != Layout::NZ && plain_rows(idx);
  m.kind = flat ? HostMove::Kind::elements : HostMove::Kind::none;
  m.rows = tile.valid_rows, m.row_bytes = tile.valid_cols * size_of(tile.dtype);
  m.tile_step = tile.cols * size_of(tile.dtype), m.idx_step = idx.cols * size_of(idx.dtype);
  m.capacity = table.numel(), m.far = m.capacity > near_bytes / size_of(tile.dtype);
  return m;
}

}  // namespace pto::instr
