// SPDX-License-Identifier: Apache-2.0
#include "pto/comm/tscatter.hpp"

#include "comm/collectives/collective.hpp"

void pto::comm::detail::scatter(const Tensors& group, const instr::TensorDesc& src, const Staging& staging,
                                instr::Site site) {
  using namespace ptox::comm;
  const Call call("tscatter", site);
  move_by_rank(call, group, src, "src", staging,
               [&](Conveyor& conveyor, const instr::TensorDesc& own, const instr::TensorDesc& theirs, const Chunk& c) {
                 conveyor.move(own, theirs, c.rows, c.cols);
               });
}
