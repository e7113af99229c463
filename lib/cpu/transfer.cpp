// SPDX-License-Identifier: Apache-2.0
// TLOAD and TSTORE on the host: whole rows by copy.
#include "cpu/bodies.hpp"
#include "cpu/rows.hpp"

namespace ptox {

namespace {

/// Calls move(tile row, tensor row, bytes) for each valid row.
template <class Move>
void each_row(Core& core, const pto::instr::TileDesc& tile, const pto::instr::TensorDesc& tensor, Move&& move) {
  const std::int64_t size = pto::instr::size_of(tile.dtype);
  std::byte* row = tile_base(core, tile);
  for (std::int64_t r = 0; r < tile.valid_rows; ++r, row += tile.cols * size)
    move(row, gm(tensor, pto::instr::element_offset(tensor, r, 0)), static_cast<std::size_t>(tile.valid_cols * size));
}

}  // namespace

bool NativeBody<pto::instr::Tload>::run(Core& core, const pto::instr::Tload::Operands& o) {
  if (!plain_rows(o.dst) || !plain_rows(o.src) || o.dst.pad != pto::PadValue::Null) return false;
  each_row(core, o.dst, o.src, [](std::byte* tile, std::byte* gm, std::size_t n) { std::memcpy(tile, gm, n); });
  return true;
}

bool NativeBody<pto::instr::Tstore>::run(Core& core, const pto::instr::Tstore::Operands& o) {
  const bool plain = plain_rows(o.src) && plain_rows(o.dst) && o.policy.atomic == pto::AtomicType::AtomicNone;
  if (!plain) return false;
  each_row(core, o.src, o.dst, [](std::byte* tile, std::byte* gm, std::size_t n) { std::memcpy(gm, tile, n); });
  return true;
}

}  // namespace ptox
