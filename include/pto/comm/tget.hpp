// SPDX-License-Identifier: Apache-2.0
// comm::TGET: copies a tensor of another rank to this rank through a staging tile.
#pragma once

#include "pto/comm/chunks.hpp"

namespace pto::comm {

namespace detail {
void get(const instr::TensorDesc& dst, const instr::TensorDesc& src, const Staging& staging, instr::Site site);
}  // namespace detail

/// dst = src; src is in the memory of any rank, dst in that of the calling rank.
template <instr::TensorOperand Dst, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TGET(Dst& dst, Src& src, TileT& staging, PTO_EVENTS) {
  detail::check_types<TileT, Src, Dst>();
  PTO_WAIT_EVENTS;
  detail::get(dst.desc(), src.desc(), detail::staging_of(site, staging), site);
  return {site};
}

/// The same with two staging tiles that are used alternately.
template <instr::TensorOperand Dst, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TGET(Dst& dst, Src& src, TileT& ping, TileT& pong, PTO_EVENTS) {
  detail::check_types<TileT, Src, Dst>();
  PTO_WAIT_EVENTS;
  detail::get(dst.desc(), src.desc(), detail::staging_of(site, ping, pong), site);
  return {site};
}

}  // namespace pto::comm
