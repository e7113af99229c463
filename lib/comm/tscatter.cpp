// SPDX-License-Identifier: Apache-2.0
#include "pto/comm/tscatter.hpp"

#include "comm/collective.hpp"

void pto::comm::detail::scatter(const Tensors& group, const instr::TensorDesc& src, const Staging& staging,
                                instr::Site site) {
  using namespace ptox::comm;
  if (group.ranks == 0) return;
  const Call call("tscatter", site);
  if (!may_begin(call, group, staging) || !agrees(call, group, src, "src", group.ranks)) return;
  const instr::TensorDesc block = group[0];
  if (!carries(call, staging, block)) return;
  instr::TensorDesc part = src;  // as much of src as a rank has
  part.shape[3] = block.shape[3];
  const std::int64_t rows = block.shape[3], all = rows * group.ranks;
  Conveyor conveyor(call, staging);
  for (int rank = 0; rank < group.ranks && call.delivered(rank * rows, all); ++rank) {
    const instr::TensorDesc dst = group[rank];
    const bool went = each_chunk(call.core(), block, staging, [&](const Chunk& c) {
      conveyor.move(chunk_of(part, c, rank * rows), chunk_of(dst, c), c.rows, c.cols);
      return c.whole || call.delivered(rank * rows + c.at[3] + c.rows, all);
    });
    if (!went) return;
  }
  call.delivered(all, all);
}
