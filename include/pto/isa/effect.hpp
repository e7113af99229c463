// SPDX-License-Identifier: Apache-2.0
// The bytes that an instruction accesses, with the pipe and the kind of access.
#pragma once

#include <cstdint>

#include "pto/isa/table.hpp"
#include "pto/tile/event.hpp"
#include "pto/tile/qualifiers.hpp"
#include "pto/tile/target.hpp"

namespace pto::instr {

enum class Access : std::uint8_t { read, write, update };  // update: atomic read-modify-write

/// `count` pieces of `bytes` bytes, `step` bytes apart, the first at `begin`.
struct Range {
  const std::byte* begin = nullptr;
  std::int64_t bytes = 0, step = 0, count = 1;
};

/// The first byte of a range and one past its last byte, as offsets from an address.
struct Reached {
  std::int64_t first, end;
};
PTO_EITHER inline Reached reached(const Range& range, std::uintptr_t from) {
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(range.begin) - from);
  const std::int64_t far = begin + range.step * (range.count - 1);
  return {begin < far ? begin : far, (begin < far ? far : begin) + range.bytes};
}

struct Effect {
  pipe_t pipe;
  Access access;
  const char* operand;
  Range range;
};

/// A flag that an instruction sets and waits for internally, with EVENT_ID0.
struct FlagPair {
  pipe_t src = 0, dst = 0;  ///< equal: no flag
};
/// The internal flags of an instruction: before its first access and after its last one.
struct OwnFlags {
  FlagPair before[4], after[6];
};
/// The internal flags of a Coalesce::Elem move that the scalar unit executes.
constexpr OwnFlags scalar_elem_flags() {
  return {{{PIPE_V, PIPE_S}, {PIPE_MTE3, PIPE_S}, {PIPE_MTE2, PIPE_S}},
          {{PIPE_S, PIPE_V}, {PIPE_S, PIPE_MTE2}, {PIPE_S, PIPE_MTE3}}};
}
/// The internal flags of an indexed move on a SIMT machine: none, unless it moves a single static element, which the
/// scalar unit does.
constexpr OwnFlags scalar_path_flags(bool one_static) {
  if (!one_static) return {};
  return {{{PIPE_V, PIPE_S}}, {{PIPE_S, PIPE_V}}};
}

/// A tile operand and the end of the bytes that an instruction accesses through it, which may lie past the tile.
struct Reach {
  const char* operand;
  const TileDesc& tile;
  std::int64_t end;
};

/// What the indices of an instruction select, for bounds checks and their messages.
struct Lookup {
  const char* index;          ///< name of the index operand
  bool is_signed;             ///< the indices are i32
  const char* does;           ///< the access in messages, as in "reads table row"
  std::int64_t capacity;      ///< indices that are not less are out of range
  const char* has;            ///< text before the capacity, as in "table has"
  const char* slots;          ///< text after the capacity, as in "rows"
  OutOfRange policy;          ///< the effect of an index that is out of range
  const char* defined_by;     ///< advice: the policies that define such an index
  std::int64_t multiple = 1;  ///< valid indices are multiples of this
  std::int64_t factor = 1;    ///< the machine computes slot * factor in 32 bits
  bool writes_once = false;   ///< two indices of one slot are reported as `alias`
};

/// The indices of a gather from a table, or, with `writes`, of a scatter to it.
inline Lookup table_lookup(const ptox::Target& t, const Table& table, DType index, OutOfRange policy, bool writes) {
  const char* const does[] = {"reads table element", "reads table row", "writes table element", "writes table row"};
  const bool packed = table.by_row && t.row_address == ptox::RowAddress::packed;
  return {.index = "idx",
          .is_signed = index == DType::i32,
          .does = does[2 * writes + table.by_row],
          .capacity = table.capacity(),
          .has = "table has",
          .slots = table.by_row ? "rows" : "elements",
          .policy = policy,
          .defined_by = writes ? "Skip, Clamp or Wrap define this" : "Clamp, Wrap or Zero define this",
          .factor = packed ? table.valid_cols : 1};
}

/// The indices of a gather or scatter within a tile, where no policy defines an index that is out of range.
inline Lookup tile_lookup(DType index, const char* does, const char* has, std::int64_t capacity) {
  return {.index = "idx",
          .is_signed = index == DType::i32,
          .does = does,
          .capacity = capacity,
          .has = has,
          .slots = "elements",
          .policy = OutOfRange::undefined,
          .defined_by = "Nothing defines this"};
}

/// Calls visit(value, r, c) for each index of a tile in source order.
template <class M, class V>
void each_index(M& m, const TileDesc& idx, Coalesce mode, std::int64_t rows, std::int64_t cols, V&& visit) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < (mode == Coalesce::Row ? 1 : cols); ++c) {
      const Position p = index_position(idx, mode, r, c);
      visit(m.index(idx, p.r, p.c), p.r, p.c);
    }
}

/// The pipe that reads the indices and the pipe that moves the data. If they differ, S reads the indices at issue.
struct IndexedPipes {
  pipe_t index, data;
};
/// The pipes of an indexed move between a tile and a table. Without SIMT lanes, S reads the indices and moves elements,
/// and the DMA pipe `dma` moves rows.
constexpr IndexedPipes indexed_pipes(const ptox::Target& t, bool row, bool one_static, pipe_t dma) {
  if (t.native || one_static) return {PIPE_S, PIPE_S};
  if (t.simt) return {PIPE_V, PIPE_V};
  return {PIPE_S, row ? dma : PIPE_S};
}
constexpr IndexedPipes all_on(const ptox::Target& t, pipe_t pipe) {
  return t.native ? IndexedPipes{PIPE_S, PIPE_S} : IndexedPipes{pipe, pipe};
}

/// Reports columns [0, cols) of rows [first, first + rows) of a tile as one access, in as few ranges as its layout
/// allows.
template <class M, class S>
void touch(M& m, S&& sink, pipe_t pipe, Access access, const char* operand, const TileDesc& t, std::int64_t first,
           std::int64_t rows, std::int64_t cols) {
  const std::int64_t size = size_of(t.dtype);
  const auto emit = [&](std::int64_t r, std::int64_t c, std::int64_t n, std::int64_t step, std::int64_t count) {
    if (n > 0 && count > 0) sink(Effect{pipe, access, operand, {m.at(t, r, c), n * size, step * size, count}});
  };
  if (!t.boxed() && t.blayout == BLayout::RowMajor) return emit(first, 0, cols, t.cols, rows);
  if (!t.boxed()) return emit(first, 0, rows, t.rows, cols);
  if (t.is_nz()) {
    const std::int64_t c0 = c0_of(t.dtype);
    for (std::int64_t c = 0; c < cols; c += c0) emit(first, c, cols - c < c0 ? cols - c : c0, c0, rows);
    return;
  }
  for (std::int64_t r = first; r < first + rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c) emit(r, c, 1, 1, 1);
}

/// Reports the bytes of columns [0, cols) of one table row.
template <class M, class T, class R>
constexpr void table_row(M&& m, const T& table, std::int64_t slot, std::int64_t cols, R&& report) {
  const TensorDesc& t = table.tensor;
  const std::int64_t size = size_of(t.dtype);
  const std::int64_t run = t.layout == Layout::NZ ? t.shape[4] : t.layout == Layout::DN ? 1 : cols;
  for (std::int64_t c = 0; c < cols; c += run) {
    const std::int64_t n = cols - c < run ? cols - c : run, first = table.offset(slot, c);
    const std::int64_t step = n > 1 ? table.offset(slot, c + 1) - first : 1;
    const auto* begin = m.at(t, first);
    report(step == 1 ? Range{begin, n * size, 0, 1} : Range{begin, size, step * size, n});
  }
}

/// Calls visit(slot, r, c) for each row (Coalesce::Row) or element (Elem) whose index selects a slot. Rows and elements
/// without a slot access no byte of the table.
template <class M, class V>
void each_lane(M& m, const Table& table, const TileDesc& idx, std::int64_t rows, std::int64_t cols, OutOfRange policy,
               V&& visit) {
  const Coalesce mode = table.by_row ? Coalesce::Row : Coalesce::Elem;
  const std::int64_t capacity = table.capacity();
  each_index(m, idx, mode, rows, cols,
             [&, r = std::int64_t{0}, c = std::int64_t{0}](std::uint32_t value, auto, auto) mutable {
               if (const Slot slot = remap(value, capacity, policy)) visit(slot.at, r, c);
               if (table.by_row || ++c == cols) ++r, c = 0;
             });
}

/// Reports the bytes of the table that the move of one row or element accesses.
template <class M, class T, class R>
constexpr void lane_bytes(M&& m, const T& table, std::int64_t slot, std::int64_t c, std::int64_t cols, R&& report) {
  if (table.by_row) return table_row(m, table, slot, cols, report);
  report(Range{m.at(table.tensor, table.offset(slot, c)), size_of(table.tensor.dtype), 0, 1});
}

}  // namespace pto::instr
