// SPDX-License-Identifier: Apache-2.0
// Helpers of the native bodies: addresses of rows, and the conversion of a HostMove to a Move by slots.
#pragma once

#include "engine/issue/host_bodies.hpp"
#include "loops/kernels.hpp"
#include "loops/tiles/indices.hpp"
#include "loops/tiles/tile_moves.hpp"

namespace ptox {

inline std::byte* tile_base(Core& core, const pto::instr::TileDesc& t) { return core.space(t.loc).base() + t.offset; }
inline std::byte* gm(const pto::instr::TensorDesc& t, std::int64_t offset) {
  return static_cast<std::byte*>(t.base) + offset * pto::instr::size_of(t.dtype);
}

/// The same move by slots, for the loops of kernels.hpp. Its count is 0 if those cannot be used: they need indices that
/// are all in range, contiguous, and outside the tile.
inline Move by_slots(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
  const bool rows = m.kind == HostMove::Kind::rows;
  const std::int64_t size = pto::instr::size_of(m.dtype), cols = rows ? 1 : m.row_bytes / size;
  Move move{};
  move.table = table, move.stride = rows ? m.gm_step : size, move.capacity = static_cast<std::uint64_t>(m.capacity);
  move.data = tile, move.data_stride = rows ? m.tile_step : size, move.row_bytes = rows ? m.row_bytes : size;
  move.slots = idx, move.far = m.far;
  const bool together = m.idx_step == 4 * cols && (rows || m.tile_step == m.row_bytes);
  const bool apart = idx + m.idx_bytes <= tile || tile + m.tile_bytes <= idx;
  if (!together || !apart || kernels().largest[false](idx, m.rows * cols) >= move.capacity) return move;
  move.capacity = Move::unchecked, move.count = m.rows * cols;
  return move;
}

/// Whether the rows of a move are prefetched already: by the move before it, or by hints of the kernel, which requested
/// `asked` bytes.
inline bool fetched(Core& core, const std::byte* idx, const Move& m, std::int64_t asked) {
  return core.indices().prefetched(idx, m.table) || 2 * asked >= m.count * m.row_bytes;
}

/// Makes a move prefetch the rows that are likely to be moved next: those of the indices behind its own in the same
/// tile, or of the index tile that the kernel loaded after it.
inline void follow(Core& core, const std::byte* idx, Move& m) {
  m.following = core.indices().use(idx, m.table, m.count * 4);
  m.following_count = m.following ? m.count : 0;
}

/// Makes a gather prefetch the rows that the kernel requested by TPREFETCH, if they have its row size, are at least
/// half as many as its rows, and do not begin with its own first row. Otherwise they are prefetched at once.
inline void take_hints(pto::instr::Hints& hints, Move& m) {
  constexpr std::int64_t least = 16, most = 4096;  // row sizes in bytes for which hints are deferred
  const int count = m.row_bytes >= least && m.row_bytes <= most ? hints.count_of(m.row_bytes) : 0;
  const auto first = static_cast<std::int64_t>(*static_cast<const std::uint32_t*>(m.slots));
  if (2 * count < m.count || hints.rows()[0] == m.table + first * m.stride) return hints.fetch_from(0);
  m.asked = hints.rows(), m.asked_count = count < m.count ? count : m.count;
}

/// Converts full operands to a HostMove with places and runs the native body with it; returns false if that is not
/// ready.
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
