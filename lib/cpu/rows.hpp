// SPDX-License-Identifier: Apache-2.0
// Where do whole rows lie, when they lie together?
#pragma once

#include <cstring>

#include "core/core.hpp"
#include "pto/isa/table.hpp"

namespace ptox {

inline bool plain_rows(const pto::instr::TileDesc& t) { return !t.boxed() && t.blayout == pto::BLayout::RowMajor; }
inline bool plain_rows(const pto::instr::TensorDesc& t) { return t.layout == pto::Layout::ND && t.stride[4] == 1; }

inline std::byte* tile_base(Core& core, const pto::instr::TileDesc& t) { return core.space(t.loc).base() + t.offset; }
inline std::byte* gm(const pto::instr::TensorDesc& t, std::int64_t offset) {
  return static_cast<std::byte*>(t.base) + offset * pto::instr::size_of(t.dtype);
}

/// Reads index `at` of a RowMajor or one-row index tile.
inline std::uint32_t load_index(const std::byte* idx, std::int64_t at) {
  std::uint32_t value;
  std::memcpy(&value, idx + at * 4, sizeof value);
  return value;
}

/// How far apart the indices of consecutive tile rows lie, for a Row index read by (row, column).
inline std::int64_t row_index_step(const pto::instr::TileDesc& idx) {
  if (idx.valid_rows == 1) return idx.blayout == pto::BLayout::RowMajor ? 1 : idx.rows;
  return idx.blayout == pto::BLayout::RowMajor ? idx.cols : 1;
}

/// Calls f with an unsigned integer of that many bytes.
template <class F>
void with_size(std::int64_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace ptox
