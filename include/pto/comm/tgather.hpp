// SPDX-License-Identifier: Apache-2.0
// comm::TGATHER: copies the rows of every rank into one tensor of the root, through a staging tile.
#pragma once

#include "pto/comm/chunks.hpp"

namespace pto::comm {

namespace detail {
void gather(const Tensors& group, const instr::TensorDesc& dst, const Staging& staging, instr::Site site);
}  // namespace detail

/// dst[d0, d1, d2, rank * H + i, j] = src(rank)[d0, d1, d2, i, j]. Only the root calls it. H is the number of rows of a
/// rank, N the number of ranks; rows of dst from N * H on are unchanged.
template <class G, instr::TensorOperand Dst, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TGATHER(ParallelGroup<G>& group, Dst& dst, TileT& staging, PTO_EVENTS) {
  detail::check_types<TileT, G, Dst>();
  PTO_WAIT_EVENTS;
  detail::gather(detail::tensors_of(group), dst.desc(), detail::staging_of(site, staging), site);
  return {site};
}

/// The same with two staging tiles that are used alternately.
template <class G, instr::TensorOperand Dst, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TGATHER(ParallelGroup<G>& group, Dst& dst, TileT& ping, TileT& pong, PTO_EVENTS) {
  detail::check_types<TileT, G, Dst>();
  PTO_WAIT_EVENTS;
  detail::gather(detail::tensors_of(group), dst.desc(), detail::staging_of(site, ping, pong), site);
  return {site};
}

}  // namespace pto::comm
