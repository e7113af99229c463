// SPDX-License-Identifier: Apache-2.0
// Transfers of tensors in symmetric memory that this rank does not map and cannot load or store directly: by get, put
// or add of the engine, and a local copy of the tensor.
#include <vector>

#include "comm/group/member.hpp"
#include "engine/issue/body.hpp"
#include "engine/issue/host_bodies.hpp"

namespace ptox::comm {

namespace {

using pto::instr::DType;
using pto::instr::TensorDesc;
using pto::instr::Tload;
using pto::instr::Tstore;

/// A dense local tensor of rows x cols elements of the same type; `bytes` is resized to hold them.
TensorDesc here(const TensorDesc& there, std::int64_t rows, std::int64_t cols, std::vector<std::byte>& bytes) {
  bytes.resize(static_cast<std::size_t>(rows * cols * pto::instr::size_of(there.dtype)));
  TensorDesc t{.dtype = there.dtype, .layout = pto::Layout::ND, .static_block = false, .base = bytes.data()};
  t.shape[3] = rows, t.shape[4] = cols, t.stride[3] = cols;
  return t;
}

/// Calls move(local address, remote place, rectangle) for each part of a tensor whose rows have a constant distance.
template <class F>
void each_piece(Member& member, const TensorDesc& there, const TensorDesc& here, F&& move) {
  const std::int64_t size = pto::instr::size_of(there.dtype), rows = here.shape[3], cols = here.shape[4];
  auto* bytes = static_cast<std::byte*>(here.base);
  const Place base = *member.locate(there.base);
  const auto at = [&](std::int64_t r, std::int64_t c) {
    const std::int64_t offset = pto::instr::element_offset(there, r, c) * size;
    return Place{base.rank, base.offset + static_cast<std::size_t>(offset)};
  };
  const bool plain = pto::instr::plain_rows(there);
  if (const std::int64_t step = plain ? pto::instr::row_step(there) : pto::instr::unknown; pto::instr::known(step))
    return move(bytes, at(0, 0), Rectangle{rows, cols * size, cols * size, step * size});
  const std::int64_t run = plain ? cols : 1;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; c += run)
      move(bytes + (r * cols + c) * size, at(r, c), Rectangle{1, run * size, run * size, run * size});
}

}  // namespace

bool Member::load(Core& core, Machine& m, const Tload::Operands& o) {
  if (!remote(o.src.base)) return false;
  static thread_local std::vector<std::byte> bytes;
  Tload::Operands mine = o;
  mine.src = here(o.src, o.dst.valid_rows, o.dst.valid_cols, bytes);
  each_piece(*this, o.src, mine.src, [&](std::byte* to, Place from, const Rectangle& r) { fabric().get(to, from, r); });
  execute<Tload>(core, m, mine);
  return true;
}

bool Member::store(Core& core, Machine& m, const Tstore::Operands& o) {
  if (!remote(o.dst.base)) return false;
  static thread_local std::vector<std::byte> bytes;
  Tstore::Operands mine = o;
  mine.dst = here(o.dst, o.src.valid_rows, o.src.valid_cols, bytes), mine.policy = {};
  execute<Tstore>(core, m, mine);
  core.publish_stores();
  each_piece(*this, o.dst, mine.dst, [&](std::byte* from, Place to, const Rectangle& r) {
    if (o.policy.atomic == pto::AtomicType::AtomicAdd)
      fabric().add(to, from, o.dst.dtype, r);
    else
      fabric().put(to, from, r);
  });
  return true;
}

}  // namespace ptox::comm
