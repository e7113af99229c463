// SPDX-License-Identifier: Apache-2.0
#include "pto/comm/tbroadcast.hpp"

#include "comm/collectives/collective.hpp"

void pto::comm::detail::broadcast(const Tensors& group, const instr::TensorDesc& src, const Staging& staging,
                                  instr::Site site) {
  using namespace ptox::comm;
  if (group.ranks == 0) return;
  const Call call("tbroadcast", site);
  if (!may_begin(call, group, staging) || !agrees(call, group, src, "src", 1)) return;
  const instr::TensorDesc block = group[0];
  if (!carries(call, staging, block)) return;
  const instr::TensorDesc part = with_rows(src, block.shape[3]);
  Conveyor conveyor(call, staging, bytes_of(block) * group.ranks);
  const bool carried = conveyor.carries(part, block);
  Delivery delivery(call, block, 1);
  each_chunk(block, conveyor.steps(part, block), [&](const Chunk& c) {
    const instr::TensorDesc from = chunk_of(part, c);
    for (int rank = 0; rank < group.ranks && carried; ++rank)
      conveyor.move(from, chunk_of(group[rank], c), c.rows, c.cols);
    if (carried) return delivery.add(c);
    const instr::TileDesc tile = conveyor.load(from, c.rows, c.cols);
    for (int rank = 0; rank < group.ranks; ++rank) conveyor.store(chunk_of(group[rank], c), tile);
    conveyor.stored();
    return delivery.add(c);
  });
}
