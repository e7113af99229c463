// SPDX-License-Identifier: Apache-2.0
// TPUT and TGET, which differ only in which operand may be in the memory of another rank.
#include "pto/comm/tput.hpp"

#include "comm/collectives/collective.hpp"
#include "pto/comm/tget.hpp"

namespace ptox::comm {

namespace {

/// Whether the operands are valid; reports what is wrong. `own` is the operand that must be in the caller's memory,
/// `name` its name.
bool may_move(const Call& call, const TensorDesc& dst, const TensorDesc& src, const TensorDesc& own, const char* name,
              const Staging& staging) {
  if (!group_goes_on(call) || !is_own(call, own, name) || !lives(call, dst) || !lives(call, src)) return false;
  for (int d = 0; d < 5; ++d) {
    if (dst.shape[d] == src.shape[d] && src.shape[d] >= 0) continue;
    Text s;
    s << "dst has Shape[" << d << "] = " << dst.shape[d] << ", src has " << src.shape[d];
    return call.error(FindingKind::comm_shape, s), false;
  }
  return staged_in_place(call, staging) && carries(call, staging, src);
}

void move(const Call& call, const TensorDesc& dst, const TensorDesc& src, const Staging& staging,
          pto::AtomicType atomic) {
  Conveyor conveyor(call, staging, bytes_of(src));
  const bool adds = atomic != pto::AtomicType::AtomicNone;
  const Steps steps = adds ? by_tile(call.core(), staging, src) : conveyor.steps(src, dst);
  Delivery delivery(call, src, 1);
  each_chunk(src, steps, [&](const Chunk& c) {
    conveyor.move(chunk_of(src, c), chunk_of(dst, c), c.rows, c.cols, atomic);
    return delivery.add(c);
  });
}

}  // namespace

}  // namespace ptox::comm

void pto::comm::detail::put(const instr::TensorDesc& dst, const instr::TensorDesc& src, const Staging& staging,
                            AtomicType atomic, instr::Site site) {
  const ptox::comm::Call call("tput", site);
  if (ptox::comm::may_move(call, dst, src, src, "src", staging)) ptox::comm::move(call, dst, src, staging, atomic);
}

void pto::comm::detail::get(const instr::TensorDesc& dst, const instr::TensorDesc& src, const Staging& staging,
                            instr::Site site) {
  const ptox::comm::Call call("tget", site);
  if (ptox::comm::may_move(call, dst, src, dst, "dst", staging))
    ptox::comm::move(call, dst, src, staging, AtomicType::AtomicNone);
}
