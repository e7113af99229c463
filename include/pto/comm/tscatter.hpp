// SPDX-License-Identifier: Apache-2.0
// comm::TSCATTER: the root distributes the rows of its tensor to all ranks through a staging tile.
#pragma once

#include "pto/comm/chunks.hpp"

namespace pto::comm {

namespace detail {
void scatter(const Tensors& group, const instr::TensorDesc& src, const Staging& staging, instr::Site site);
}  // namespace detail

/// dst(rank)[d0, d1, d2, i, j] = src[d0, d1, d2, rank * H + i, j], where H is the number of rows of a rank. Only the
/// root calls it. Data is copied through `staging` in chunks.
template <class G, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TSCATTER(ParallelGroup<G>& group, Src& src, TileT& staging, PTO_EVENTS) {
  detail::check_types<TileT, Src, G>();
  PTO_WAIT_EVENTS;
  detail::scatter(detail::tensors_of(group), src.desc(), detail::staging_of(site, staging), site);
  return {site};
}

/// The same with two staging tiles that are used alternately: one is stored while the other is loaded.
template <class G, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TSCATTER(ParallelGroup<G>& group, Src& src, TileT& ping, TileT& pong, PTO_EVENTS) {
  detail::check_types<TileT, Src, G>();
  PTO_WAIT_EVENTS;
  detail::scatter(detail::tensors_of(group), src.desc(), detail::staging_of(site, ping, pong), site);
  return {site};
}

}  // namespace pto::comm
