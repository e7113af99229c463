// SPDX-License-Identifier: Apache-2.0
// comm::TSCATTER: the root spreads rows of its tensor to the ranks, by way of a staging tile.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "pto/comm/group.hpp"
#include "pto/isa/flags.hpp"
#include "pto/isa/tload.hpp"
#include "pto/isa/tstore.hpp"

namespace pto::comm {

namespace detail {

/// A collective's own error: a finding with that id.
void error(const char* id, const instr::Text& message, instr::Site site);

template <class T, Layout layout>
using Block = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<-1, -1, -1, -1, -1>, layout>;

/// rows x cols of a tensor from (d0, d1, d2, row, col) on.
template <class G>
auto block(const G& g, const std::int64_t (&at)[5], std::int64_t rows, std::int64_t cols) {
  using T = typename G::RawDType;
  std::uint64_t offset = 0;  // unsigned: extents that overflow are refused where the block is used
  for (int d = 0; d < 5; ++d) offset += static_cast<std::uint64_t>(at[d]) * static_cast<std::uint64_t>(g.GetStride(d));
  T* base = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(g.data()) + offset * sizeof(T));
  const Stride<-1, -1, -1, -1, -1> strides(g.GetStride(0), g.GetStride(1), g.GetStride(2), g.GetStride(3),
                                           g.GetStride(4));
  return Block<T, G::layout>(base, {rows, cols}, strides);
}

/// One chunk, global memory to tile to global memory; both directions ordered.
template <class Src, class Dst, class TileT>
void move(Src src, Dst dst, const TileT& staging, std::int64_t rows, std::int64_t cols, event_t id, instr::Site site) {
  auto tile = staging.resized(rows, cols, site);
  instr::issue_typed<instr::Tload, instr::NoPolicy{}>(site, tile, src);
  set_flag(PIPE_MTE2, PIPE_MTE3, id, site);
  wait_flag(PIPE_MTE2, PIPE_MTE3, id, site);
  instr::detail::store<AtomicType::AtomicNone>(dst, tile, site);
  set_flag(PIPE_MTE3, PIPE_MTE2, id, site);
  wait_flag(PIPE_MTE3, PIPE_MTE2, id, site);
}

template <class Group, class Src>
bool agrees(const Group& group, const Src& src, instr::Site site) {
  instr::Text s;
  if (group.rootIdx < 0 || group.rootIdx >= group.nranks)
    return error("comm-root", s << "tscatter: root " << group.rootIdx << " of " << group.nranks << " ranks", site),
           false;
  if (group.tensors == nullptr) return error("comm-shape", s << "tscatter: group has no tensors", site), false;
  if (!src.data()) return error("oob-gm", s << "tscatter: src has a null pointer", site), false;
  for (int r = 0; r < group.nranks; ++r)
    if (!group[r].data())
      return error("oob-gm", s << "tscatter: the tensor of rank " << r << " has a null pointer", site), false;
  for (int r = 1; r < group.nranks; ++r)
    for (int d = 0; d < 5; ++d) {
      const bool same = group[r].GetShape(d) == group[0].GetShape(d) && group[r].GetStride(d) == group[0].GetStride(d);
      if (same) continue;
      s << "tscatter: rank " << r << " has Shape[" << d << "] = " << group[r].GetShape(d) << ", Stride[" << d
        << "] = " << group[r].GetStride(d) << "; rank 0 has " << group[0].GetShape(d) << " and "
        << group[0].GetStride(d);
      return error("comm-shape", s, site), false;
    }
  for (int d = 0; d < 5; ++d) {
    const std::int64_t need = instr::checked_product(group[0].GetShape(d), d == DIM_3 ? group.nranks : 1),
                       have = src.GetShape(d);
    if (need < 0)
      return error("comm-shape",
                   s << "tscatter: Shape[" << d << "] = " << group[0].GetShape(d) << " at " << group.nranks
                     << " ranks is negative or past 63 bits",
                   site),
             false;
    if (d == DIM_3 ? have >= need : have == need) continue;
    s << "tscatter: src has Shape[" << d << "] = " << have << ", the ranks take " << need;
    return error("comm-shape", s, site), false;
  }
  return true;
}

/// Whether chunks of step cut extent evenly, or may shrink at its end.
inline bool cuts(const char* what, std::int64_t extent, std::int64_t step, bool shrinks, instr::Site site) {
  if (shrinks || extent % step == 0) return true;
  error("comm-divisible",
        instr::Text() << "tscatter: each rank has " << extent << " " << what << ", the staging tile has static " << step
                      << ". Use a dynamic valid extent",
        site);
  return false;
}

/// Whether the staging tile can carry blocks of rows x cols: at once, or in chunks.
template <class TileT>
bool carries(const TileT& tile, std::int64_t rows, std::int64_t cols, instr::Site site) {
  const std::int64_t r = tile.GetValidRow(), c = tile.GetValidCol();
  instr::Text s;
  if (TileT::Loc != TileType::Vec)
    return error("illegal", s << "tscatter: data is staged in Vec tiles; the staging tile is in " << TileT::Loc, site),
           false;
  if (r < 1 || c < 1 || r > TileT::Rows || c > TileT::Cols)
    return error("comm-shape",
                 s << "tscatter: the staging tile has " << r << "x" << c << " valid of " << TileT::Rows << "x"
                   << TileT::Cols,
                 site),
           false;
  if (rows <= r && cols <= c) return true;
  return cuts("rows", rows, r, TileT::ValidRow == DYNAMIC, site) &&
         cuts("columns", cols, c, TileT::ValidCol == DYNAMIC, site);
}

template <class Group, class Src, class TileT>
void scatter(Group& group, Src& src, TileT& ping, TileT& pong, instr::Site site) {
  if (group.empty() || !agrees(group, src, site)) return;
  const auto& first = group[0];
  const std::int64_t rows = first.GetShape(DIM_3), cols = first.GetShape(DIM_4);
  if (rows == 0 || cols == 0) return;
  const std::int64_t step_r = ping.GetValidRow(), step_c = ping.GetValidCol();
  if (!carries(ping, rows, cols, site)) return;
  int chunk = 0;
  const auto walk_rank = [&](int rank, std::int64_t d0, std::int64_t d1, std::int64_t d2) {
    for (std::int64_t r = 0; r < rows; r += step_r)
      for (std::int64_t c = 0; c < cols; c += step_c, ++chunk) {
        const std::int64_t n = rows - r < step_r ? rows - r : step_r, m = cols - c < step_c ? cols - c : step_c;
        move(block(src, {d0, d1, d2, rank * rows + r, c}, n, m), block(group[rank], {d0, d1, d2, r, c}, n, m),
             chunk % 2 ? pong : ping, n, m, chunk % 2, site);
      }
  };
  for (int rank = 0; rank < group.nranks; ++rank)
    for (std::int64_t d0 = 0; d0 < first.GetShape(DIM_0); ++d0)
      for (std::int64_t d1 = 0; d1 < first.GetShape(DIM_1); ++d1)
        for (std::int64_t d2 = 0; d2 < first.GetShape(DIM_2); ++d2) walk_rank(rank, d0, d1, d2);
}

template <class Group, class Src, class TileT>
constexpr void check_types() {
  static_assert(std::same_as<typename Group::value_type::RawDType, std::remove_cv_t<typename Src::RawDType>>,
                "TSCATTER: the group's and the source's element types are one");
  static_assert(std::same_as<typename TileT::DType, std::remove_cv_t<typename Src::RawDType>>,
                "TSCATTER: the staging tile's and the source's element types are one");
}

}  // namespace detail

/// dst(rank)[d0, d1, d2, i, j] = src[d0, d1, d2, rank * H + i, j]; the root calls. Data goes through `staging` in
/// chunks.
template <class Group, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TSCATTER(Group& group, Src& src, TileT& staging, PTO_EVENTS) {
  detail::check_types<Group, Src, TileT>();
  PTO_WAIT_EVENTS;
  detail::scatter(group, src, staging, staging, site);
  return {site};
}

/// The same with two staging tiles used in turn.
template <class Group, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TSCATTER(Group& group, Src& src, TileT& ping, TileT& pong, PTO_EVENTS) {
  detail::check_types<Group, Src, TileT>();
  PTO_WAIT_EVENTS;
  detail::scatter(group, src, ping, pong, site);
  return {site};
}

}  // namespace pto::comm
