// SPDX-License-Identifier: Apache-2.0
// Checks whether an instruction accesses memory outside the allocation of its tensor.
#pragma once

#include "pto/cuda/indices.hpp"
#include "pto/isa/tload.hpp"
#include "pto/isa/tprefetch.hpp"
#include "pto/isa/tstore.hpp"

namespace pto::instr::cuda {

/// The part of a tensor that an instruction moves: its first rows, or the rows or elements that indices select.
struct Moved {
  const char* operand;
  const TensorDesc* tensor;
  std::int64_t rows, cols;
  const Bounds* named = nullptr;  ///< null: the first rows

  AICORE bool by_row() const { return !named || named->mode == Coalesce::Row; }
  /// The number of rows, or of elements if indices select elements.
  AICORE Count count() const { return named ? named->count() : static_cast<Count>(rows); }
};

template <class Tensor>
AICORE Moved moved_rows(const TensorDesc& tensor, const TileDesc& tile) {
  return {.operand = Tensor::name, .tensor = &tensor, .rows = tile.valid_rows, .cols = tile.valid_cols};
}
AICORE inline Moved moved(const instr::Tload::Operands& o) { return moved_rows<instr::Tload::Src>(o.src, o.dst); }
AICORE inline Moved moved(const instr::Tstore::Operands& o) { return moved_rows<instr::Tstore::Dst>(o.dst, o.src); }
AICORE inline Moved moved(const instr::Tprefetch::Operands& o) {
  return moved_rows<instr::Tprefetch::Src>(o.src, o.dst);
}
/// The caller sets `named`.
AICORE inline Moved moved(const instr::Mgather::Operands& o) { return moved_rows<instr::Mgather::Tab>(o.table, o.dst); }
AICORE inline Moved moved(const instr::Mscatter::Operands& o) {
  return moved_rows<instr::Mscatter::Tab>(o.table, o.src);
}

/// The allocation to which the base of a tensor belongs; null if the registry has none.
AICORE inline const Allocation* allocation_of(const LaunchData& launch, const void* base) {
  const auto at = reinterpret_cast<std::uint64_t>(base);
  std::int32_t before = 0;  // number of allocations that begin at or before the address
  for (std::int32_t behind = launch.allocation_count; before < behind;) {
    const std::int32_t middle = before + (behind - before) / 2;
    if (launch.allocations[middle].begin <= at)
      before = middle + 1;
    else
      behind = middle;
  }
  if (before == 0) return nullptr;
  const Allocation& a = launch.allocations[before - 1];
  return at - a.begin < a.reach ? &a : nullptr;
}

namespace detail {

// Small functions that are not inlined: a kernel gets registers for everything that it may call, checked or not.

/// Computes the same offsets as instr::Table, digit by digit and in 32 bits, which slots and columns do not exceed.
struct FarTable {
  const TensorDesc& tensor;
  bool by_row;

  PTO_EITHER __attribute__((noinline)) std::int64_t offset(std::int64_t slot, std::int64_t c) const {
    Count row = static_cast<Count>(slot), col = static_cast<Count>(c);
    if (tensor.layout == Layout::NZ) {
      if (!by_row) col = taken(row, tensor.shape[0] * tensor.shape[1] * tensor.shape[4]);
      return along(row, 0x34) + along(col, 0x125);
    }
    if (!by_row) return slot;
    return tensor.layout == Layout::ND ? along(row, 0x1234) + along(col, 0x5) : along(row, 0x4) + along(col, 0x1235);
  }

 private:
  /// Removes the lowest digit, in that base, from `rest` and returns it.
  PTO_EITHER static Count taken(Count& rest, std::int64_t base) {
    const Count all = rest;
    rest = all < base ? 0 : all / static_cast<Count>(base);
    return all - rest * static_cast<Count>(base);
  }
  /// The element offset of `rest` as a mixed-radix number over dimensions. The hexadecimal digits of `dims`, from the
  /// lowest on, are the numbers of these dimensions, counted from 1.
  PTO_EITHER std::int64_t along(Count rest, unsigned dims) const {
    std::int64_t offset = 0;
    for (; dims >= 16; dims >>= 4) offset += taken(rest, tensor.shape[dims % 16 - 1]) * tensor.stride[dims % 16 - 1];
    return offset + rest * tensor.stride[dims - 1];
  }
};

struct Addresses {
  PTO_EITHER const std::byte* at(const TensorDesc& t, std::int64_t offset) const {
    return static_cast<const std::byte*>(t.base) + offset * instr::size_of(t.dtype);
  }
};

/// Counts the byte ranges of rows and elements that are not inside an allocation.
struct Leaving {
  FarTable table;
  std::int64_t cols;
  const Allocation* allocation;
  Count at = 0;  ///< the row or element that is being checked
  std::uint32_t count = 0;
  Count first_at = 0;      ///< the first row or element with such a range
  instr::Reached first{};  ///< the bytes of that range, relative to the begin of the allocation

  AICORE Leaving(const Moved& m, const Allocation& a) : table{*m.tensor, m.by_row()}, cols(m.cols), allocation(&a) {}
  template <class B>
  AICORE void look_at(B& b, const Moved& m, Count i) {
    at = i;
    if (const std::int64_t slot = m.named ? m.named->slot(b, i) : i; slot >= 0) see_slot(slot);
  }

 private:
  AICORE __attribute__((noinline)) void see_slot(std::int64_t slot) {
    instr::lane_bytes(Addresses{}, table, slot, 0, cols, [this](const instr::Range& range) { see(range); });
  }
  AICORE __attribute__((noinline)) void see(const instr::Range& range) {
    const instr::Reached bytes = instr::reached(range, allocation->begin);
    if (bytes.first >= 0 && bytes.end <= static_cast<std::int64_t>(allocation->bytes)) return;
    if (count++ == 0) first = bytes, first_at = at;
  }
};

}  // namespace detail

/// Stores in the state of the block how many ranges leave the allocation, and the first row or element with such a
/// range.
template <class B>
AICORE __attribute__((noinline)) void find_outside(B& b, const Moved& m, const Allocation& a) {
  if (b.tid() == 0) b.state().ranges = {};
  b.sync();
  detail::Leaving found(m, a);
  each_mine(b, m.count(), [&](Count i) { found.look_at(b, m, i); });
  if (found.count != 0) {
    b.atomic_add(&b.state().ranges.count, found.count);
    b.atomic_max(&b.state().ranges.first, ~found.first_at);
  }
  b.sync();
}

/// The first range that leaves the allocation. Precondition: find_outside found one.
template <class B>
AICORE instr::Reached first_outside(B& b, const Moved& m, const Allocation& a) {
  detail::Leaving found(m, a);
  found.look_at(b, m, ~b.state().ranges.first);
  return found.first;
}

}  // namespace pto::instr::cuda
