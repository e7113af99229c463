// SPDX-License-Identifier: Apache-2.0
// Where do the rows of a move lie, and which row of a table does an index name?
#pragma once

#include <cstring>

#include "cpu/bodies.hpp"
#include "cpu/tile_moves.hpp"
#include "pto/isa/table.hpp"

namespace ptox {

// Always inlined: what is compiled for several instruction sets takes the flags of the function it ends up in.
#define PTOX_INLINE [[gnu::always_inline]] inline
#define PTOX_INLINED __attribute__((always_inline))

using pto::instr::HostMove;

inline std::byte* tile_base(Core& core, const pto::instr::TileDesc& t) { return core.space(t.loc).base() + t.offset; }
inline std::byte* gm(const pto::instr::TensorDesc& t, std::int64_t offset) {
  return static_cast<std::byte*>(t.base) + offset * pto::instr::size_of(t.dtype);
}

PTOX_INLINE std::uint32_t load_index(const std::byte* p) {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// -1: none.
PTOX_INLINE std::int64_t slot_of(std::uint32_t index, const HostMove& m) {
  if (index < m.capacity) [[likely]]
    return index;
  return pto::instr::remap(index, m.capacity, m.oob).at;
}

inline constexpr std::int64_t line_bytes = 64;

/// Asks for the row that index r names; where it is out of range, for something that does not matter.
template <int cache>
PTOX_INLINE void ask_for(const std::byte* table, const std::byte* idx, std::int64_t r, const HostMove& m) {
  const std::byte* row = table + load_index(idx + r * m.idx_step) * m.gm_step;
  for (std::int64_t at = 0; at < m.row_bytes; at += line_bytes) __builtin_prefetch(row + at, 0, cache);
}

/// Calls visit(r, slot) for each row in turn up to the first whose index is out of range; its number, or how many there
/// are.
template <Fetch fetch, class Visit>
PTOX_INLINE std::int64_t each_in_range(const std::byte* table, const std::byte* idx, const HostMove& m, Visit&& visit) {
  constexpr std::int64_t near = 4;
  if constexpr (fetch == Fetch::all)
    for (std::int64_t r = 0; r < m.rows; ++r) ask_for<2>(table, idx, r, m);
  for (std::int64_t r = 0; r < m.rows; ++r) {
    if constexpr (fetch == Fetch::few)
      if (m.row_bytes > line_bytes && r + near < m.rows) ask_for<3>(table, idx, r + near, m);
    const std::uint32_t index = load_index(idx + r * m.idx_step);
    if (index >= m.capacity) [[unlikely]]
      return r;
    visit(r, index);
  }
  return m.rows;
}

/// A move with the places of its operands, for bodies that are given those in full.
template <class I>
bool run_move(Core& core, const typename I::Operands& o) {
  const HostMove move = I::host_move(o);
  std::int64_t where[4], *at = where;
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, pto::instr::TileDesc>)
      *at++ = d.offset;
    else
      *at++ = reinterpret_cast<std::int64_t>(d.base);
  });
  if (!NativeBody<I>::ready(core, move, where)) return false;
  NativeBody<I>::run(core, move, where);
  return true;
}

}  // namespace ptox
