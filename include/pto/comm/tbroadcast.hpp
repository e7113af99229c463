// SPDX-License-Identifier: Apache-2.0
// comm::TBROADCAST: the root copies its tensor to every rank through a staging tile.
#pragma once

#include "pto/comm/chunks.hpp"

namespace pto::comm {

namespace detail {
void broadcast(const Tensors& group, const instr::TensorDesc& src, const Staging& staging, instr::Site site);
}  // namespace detail

/// dst(rank)[d0, d1, d2, i, j] = src[d0, d1, d2, i, j]. Only the root calls it. Each chunk is loaded once and stored to
/// every rank.
template <class G, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TBROADCAST(ParallelGroup<G>& group, Src& src, TileT& staging, PTO_EVENTS) {
  detail::check_types<TileT, Src, G>();
  PTO_WAIT_EVENTS;
  detail::broadcast(detail::tensors_of(group), src.desc(), detail::staging_of(site, staging), site);
  return {site};
}

/// The same with two staging tiles that are used alternately.
template <class G, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TBROADCAST(ParallelGroup<G>& group, Src& src, TileT& ping, TileT& pong, PTO_EVENTS) {
  detail::check_types<TileT, Src, G>();
  PTO_WAIT_EVENTS;
  detail::broadcast(detail::tensors_of(group), src.desc(), detail::staging_of(site, ping, pong), site);
  return {site};
}

}  // namespace pto::comm
