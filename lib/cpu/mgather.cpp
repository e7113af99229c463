// SPDX-License-Identifier: Apache-2.0
// MGATHER on the host: whole rows by copy, elements by their size.
#include "cpu/bodies.hpp"
#include "cpu/rows.hpp"

namespace ptox {

namespace {

void gather_rows(Core& core, const pto::instr::Mgather::Operands& o) {
  const pto::instr::Table table(core.target(), o.table, pto::Coalesce::Row, o.dst.valid_cols);
  const std::int64_t size = pto::instr::size_of(o.dst.dtype), capacity = table.capacity(), step = row_index_step(o.idx);
  const auto row_bytes = static_cast<std::size_t>(o.dst.valid_cols * size);
  const std::byte* idx = tile_base(core, o.idx);
  std::byte* dst = tile_base(core, o.dst);
  for (std::int64_t r = 0; r < o.dst.valid_rows; ++r, dst += o.dst.cols * size) {
    const pto::instr::Slot slot =
        pto::instr::remap(load_index(idx, r * step), capacity, pto::instr::out_of_range(o.policy.oob));
    if (slot)
      std::memmove(dst, gm(o.table, table.offset(slot.at, 0)), row_bytes);
    else
      std::memset(dst, 0, row_bytes);
  }
}

template <class Word>
void gather_elements(Core& core, const pto::instr::Mgather::Operands& o) {
  const std::int64_t capacity = o.table.numel();
  const std::byte* table = static_cast<const std::byte*>(o.table.base);
  for (std::int64_t r = 0; r < o.dst.valid_rows; ++r) {
    const std::byte* idx = tile_base(core, o.idx) + r * o.idx.cols * 4;
    std::byte* dst = tile_base(core, o.dst) + r * o.dst.cols * static_cast<std::int64_t>(sizeof(Word));
    for (std::int64_t c = 0; c < o.dst.valid_cols; ++c) {
      const pto::instr::Slot slot =
          pto::instr::remap(load_index(idx, c), capacity, pto::instr::out_of_range(o.policy.oob));
      Word value = 0;
      if (slot) std::memcpy(&value, table + slot.at * static_cast<std::int64_t>(sizeof(Word)), sizeof value);
      std::memcpy(dst + c * static_cast<std::int64_t>(sizeof(Word)), &value, sizeof value);
    }
  }
}

}  // namespace

bool NativeBody<pto::instr::Mgather>::run(Core& core, const pto::instr::Mgather::Operands& o) {
  if (!plain_rows(o.dst)) return false;
  if (o.policy.coalesce.row()) {
    if (!plain_rows(o.table)) return false;
    gather_rows(core, o);
    return true;
  }
  if (o.table.layout == pto::Layout::NZ || !plain_rows(o.idx)) return false;
  with_size(pto::instr::size_of(o.dst.dtype), [&](auto word) { gather_elements<decltype(word)>(core, o); });
  return true;
}

}  // namespace ptox
