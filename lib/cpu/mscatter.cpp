// SPDX-License-Identifier: Apache-2.0
// MSCATTER on the host: whole rows by copy, updates by element type.
#include "core/combine.hpp"
#include "cpu/bodies.hpp"
#include "cpu/rows.hpp"

namespace ptox {

namespace {

using pto::ScatterAtomicOp;

void scatter_rows(Core& core, const pto::instr::Mscatter::Operands& o) {
  const pto::instr::Table table(core.target(), o.table, pto::Coalesce::Row, o.src.valid_cols);
  const std::int64_t size = pto::instr::size_of(o.src.dtype), capacity = table.capacity(), step = row_index_step(o.idx);
  const std::byte *idx = tile_base(core, o.idx), *src = tile_base(core, o.src);
  for (std::int64_t r = 0; r < o.src.valid_rows; ++r, src += o.src.cols * size) {
    const pto::instr::Slot slot =
        pto::instr::remap(load_index(idx, r * step), capacity, pto::instr::out_of_range(o.policy.oob));
    if (!slot) continue;
    std::byte* to = gm(o.table, table.offset(slot.at, 0));
    if (o.policy.op == ScatterAtomicOp::None) {
      std::memmove(to, src, static_cast<std::size_t>(o.src.valid_cols * size));
      continue;
    }
    pto::instr::with_type(o.src.dtype, [&]<class T>() {
      for (std::int64_t c = 0; c < o.src.valid_cols; ++c) combine<T>(o.policy.op, to + c * size, src + c * size);
    });
  }
}

template <class T>
void scatter_elements(Core& core, const pto::instr::Mscatter::Operands& o) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t capacity = o.table.numel();
  for (std::int64_t r = 0; r < o.src.valid_rows; ++r) {
    const std::byte* idx = tile_base(core, o.idx) + r * o.idx.cols * 4;
    const std::byte* src = tile_base(core, o.src) + r * o.src.cols * size;
    for (std::int64_t c = 0; c < o.src.valid_cols; ++c) {
      const pto::instr::Slot slot =
          pto::instr::remap(load_index(idx, c), capacity, pto::instr::out_of_range(o.policy.oob));
      if (slot) combine<T>(o.policy.op, gm(o.table, slot.at), src + c * size);
    }
  }
}

}  // namespace

bool NativeBody<pto::instr::Mscatter>::run(Core& core, const pto::instr::Mscatter::Operands& o) {
  if (!plain_rows(o.src)) return false;
  if (o.policy.coalesce.row()) {
    if (!plain_rows(o.table)) return false;
    scatter_rows(core, o);
    return true;
  }
  if (o.table.layout == pto::Layout::NZ || !plain_rows(o.idx)) return false;
  pto::instr::with_type(o.src.dtype, [&]<class T>() { scatter_elements<T>(core, o); });
  return true;
}

}  // namespace ptox
