// SPDX-License-Identifier: Apache-2.0
// comm::TPUT: copies a tensor of this rank to another rank through a staging tile.
#pragma once

#include "pto/comm/chunks.hpp"

namespace pto::comm {

namespace detail {
void put(const instr::TensorDesc& dst, const instr::TensorDesc& src, const Staging& staging, AtomicType atomic,
         instr::Site site);

template <auto... Atomic>
inline constexpr AtomicType atomic_of = instr::detail::pick<AtomicType, Atomic...>(AtomicType::AtomicNone);
}  // namespace detail

/// dst = src, or dst += src with TPUT<AtomicType::AtomicAdd>; dst is in the memory of any rank, src in that of the
/// calling rank.
template <auto... Atomic, instr::TensorOperand Dst, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TPUT(Dst& dst, Src& src, TileT& staging, PTO_EVENTS) {
  static_assert(instr::detail::Policies<Atomic...>::template only<AtomicType>, "TPUT takes at most one AtomicType");
  detail::check_types<TileT, Src, Dst, detail::atomic_of<Atomic...>>();
  PTO_WAIT_EVENTS;
  detail::put(dst.desc(), src.desc(), detail::staging_of(site, staging), detail::atomic_of<Atomic...>, site);
  return {site};
}

/// The same with two staging tiles that are used alternately.
template <auto... Atomic, instr::TensorOperand Dst, instr::TensorOperand Src, instr::TileOperand TileT, PTO_EVENT_TYPES>
RecordEvent TPUT(Dst& dst, Src& src, TileT& ping, TileT& pong, PTO_EVENTS) {
  static_assert(instr::detail::Policies<Atomic...>::template only<AtomicType>, "TPUT takes at most one AtomicType");
  detail::check_types<TileT, Src, Dst, detail::atomic_of<Atomic...>>();
  PTO_WAIT_EVENTS;
  detail::put(dst.desc(), src.desc(), detail::staging_of(site, ping, pong), detail::atomic_of<Atomic...>, site);
  return {site};
}

}  // namespace pto::comm
