// SPDX-License-Identifier: Apache-2.0
// The bytes that an instruction accesses, with the pipe and the kind of access.
#pragma once

#include <cstdint>

#include "pto/isa/table.hpp"
#include "pto/tile/event.hpp"
#include "pto/tile/qualifiers.hpp"
#include "ptox/target.hpp"

namespace pto::instr {

enum class Access : std::uint8_t { read, write, update };  // update: atomic read-modify-write

/// `count` pieces of `bytes` bytes, `step` bytes apart, the first at `begin`.
struct Range {
  const std::byte* begin = nullptr;
  std::int64_t bytes = 0, step = 0, count = 1;
};

/// The first byte of a range and one past its last, counted from an address.
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

/// Flags that an instruction sets and waits for by itself, all with EVENT_ID0: before its first access and after its
/// last.
struct FlagPair {
  pipe_t src = 0, dst = 0;  ///< equal: none
};
struct OwnFlags {
  FlagPair before[4], after[6];
};
/// Of an Elem move by the scalar unit.
constexpr OwnFlags scalar_elem_flags() {
  return {{{PIPE_V, PIPE_S}, {PIPE_MTE3, PIPE_S}, {PIPE_MTE2, PIPE_S}},
          {{PIPE_S, PIPE_V}, {PIPE_S, PIPE_MTE2}, {PIPE_S, PIPE_MTE3}}};
}
/// Of a SIMT machine: none, except where one static element goes by the scalar unit.
constexpr OwnFlags scalar_path_flags(bool one_static) {
  if (!one_static) return {};
  return {{{PIPE_V, PIPE_S}}, {{PIPE_S, PIPE_V}}};
}

/// How far into its buffer an operand's lanes reach.
struct Reach {
  const char* operand;
  const TileDesc& tile;
  std::int64_t end;
};

/// What the indices of an instruction name, for a message and a bounds check.
struct Lookup {
  const char* index;       ///< the operand that holds them
  bool is_signed;          ///< its elements are i32
  const char* does;        ///< "reads table row"
  std::int64_t capacity;   ///< indices from here on are out of range
  const char* has;         ///< "table has", and after the capacity
  const char* slots;       ///< "rows"
  OutOfRange policy;       ///< what defines an index out of range
  const char* defined_by;  ///< the policies that would
  std::int64_t multiple = 1;
  std::int64_t factor = 1;   ///< the machine multiplies a slot by this in 32 bits
  bool writes_once = false;  ///< two indices of one slot are an alias
};

/// What the indices of a gather from, or a scatter to, a table name.
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

/// The same within a tile, where nothing defines an index out of range.
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

/// The pipes that an instruction runs on: S alone may read the indices at issue, before another moves the data.
struct IndexedPipes {
  pipe_t index, data;
};
/// Of a gather or scatter whose rows the DMA engine `dma` moves, unless lanes or S do it all.
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

/// Reports the bytes of one table row that a lane row moves.
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

/// Calls visit(slot, r, c) for each lane, a row or an element, whose index names a slot; the others touch nothing.
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

/// Reports the table bytes that one lane touches.
template <class M, class T, class R>
constexpr void lane_bytes(M&& m, const T& table, std::int64_t slot, std::int64_t c, std::int64_t cols, R&& report) {
  if (table.by_row) return table_row(m, table, slot, cols, report);
  report(Range{m.at(table.tensor, table.offset(slot, c)), size_of(table.tensor.dtype), 0, 1});
}

}  // namespace pto::instr
