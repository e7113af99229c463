// SPDX-License-Identifier: Apache-2.0
#include "pto/comm/tgather.hpp"

#include "comm/collectives/collective.hpp"

void pto::comm::detail::gather(const Tensors& group, const instr::TensorDesc& dst, const Staging& staging,
                               instr::Site site) {
  using namespace ptox::comm;
  const Call call("tgather", site);
  move_by_rank(call, group, dst, "dst", staging,
               [&](Conveyor& conveyor, const instr::TensorDesc& own, const instr::TensorDesc& theirs, const Chunk& c) {
                 conveyor.move(theirs, own, c.rows, c.cols);
               });
}
