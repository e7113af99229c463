// SPDX-License-Identifier: Apache-2.0
// Distributes the work of one instruction over the threads of a block.
//
// Bodies are templates over a block type B, which provides tid(), threads(), sync(), ub(), state(), fetch<V>(),
// update(), atomics, and for stores storing_threads, can_store_whole(), store_whole() and note_written(). The block of
// the GPU is in block.hpp; a test provides one that consists of host threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/isa/table.hpp"
#include "pto/tile/desc.hpp"
#include "pto/tile/qualifiers.hpp"

namespace pto::instr::cuda {

using instr::TensorDesc;
using instr::TileDesc;
using Count = std::uint32_t;  ///< number of positions of a tile, which the size of shared memory limits

/// Calls visit(i) for this thread's part of [0, count).
template <class B, class V>
PTO_INTERNAL void each_mine(B& b, Count count, V&& visit) {
  for (Count i = b.tid(); i < count; i += b.threads()) visit(i);
}

/// Calls visit(r, c) for this thread's part of rows x cols. Neighbouring threads get neighbouring elements in memory,
/// in ColMajor tiles too.
template <class B, class V>
PTO_INTERNAL void each_position(B& b, const TileDesc& t, std::int64_t rows, std::int64_t cols, V&& visit) {
  const Count n = static_cast<Count>(rows), m = static_cast<Count>(cols);
  if (t.blayout == BLayout::RowMajor)
    each_mine(b, n * m, [&](Count i) { visit(i / m, i % m); });
  else
    each_mine(b, n * m, [&](Count i) { visit(i % n, i / n); });
}

template <class B>
PTO_INTERNAL std::byte* at(B& b, const TileDesc& t, std::int64_t r, std::int64_t c) {
  return b.ub() + t.offset + instr::element_offset(t, r, c) * instr::size_of(t.dtype);
}
PTO_INTERNAL std::byte* at(const TensorDesc& t, std::int64_t offset) {
  return static_cast<std::byte*>(t.base) + offset * instr::size_of(t.dtype);
}
/// An index is read as uint32_t, whatever its declared sign.
template <class B>
PTO_INTERNAL std::uint32_t index_at(B& b, const TileDesc& idx, std::int64_t r, std::int64_t c) {
  return *reinterpret_cast<const std::uint32_t*>(at(b, idx, r, c));
}

/// Calls f with a value of the unsigned type of that size.
template <class F>
PTO_INTERNAL void with_size(std::int64_t size, F&& f) {
  if (size == 1) return f(std::uint8_t{});
  if (size == 2) return f(std::uint16_t{});
  if (size == 4) return f(std::uint32_t{});
  f(std::uint64_t{});
}

PTO_INTERNAL void copy_element(std::byte* to, const std::byte* from, std::int64_t size) {
  with_size(size, [&]<class U>(U) { *reinterpret_cast<U*>(to) = *reinterpret_cast<const U*>(from); });
}
PTO_INTERNAL void set_element(std::byte* to, std::uint64_t bits, std::int64_t size) {
  with_size(size, [&]<class U>(U) { *reinterpret_cast<U*>(to) = static_cast<U>(bits); });
}

/// Fetches elements that are too narrow for asynchronous copies: a thread loads several before it stores the first.
template <class U, class B, class From>
PTO_INTERNAL void fetch_narrow(B& b, const TileDesc& t, From&& from) {
  constexpr Count batch = 4;
  const Count rows = static_cast<Count>(t.valid_rows), cols = static_cast<Count>(t.valid_cols), count = rows * cols;
  const bool row_major = t.blayout == BLayout::RowMajor;
  for (Count first = b.tid(); first < count; first += batch * b.threads()) {
    U value[batch];
    for (Count k = 0; k < batch; ++k) {
      const Count i = first + k * b.threads();
      const std::byte* source = i >= count ? nullptr : row_major ? from(i / cols, i % cols) : from(i % rows, i / rows);
      value[k] = source ? *reinterpret_cast<const U*>(source) : U{};
    }
    for (Count k = 0; k < batch; ++k) {
      const Count i = first + k * b.threads();
      if (i >= count) break;
      *reinterpret_cast<U*>(row_major ? at(b, t, i / cols, i % cols) : at(b, t, i % rows, i / rows)) = value[k];
    }
  }
}

/// Fills the valid elements of the tile from the addresses that `from(r, c)` returns; null gives zero.
template <class B, class From>
PTO_INTERNAL void fetch_elements(B& b, const TileDesc& t, From&& from) {
  with_size(instr::size_of(t.dtype), [&]<class U>(U) {
    if constexpr (sizeof(U) < 4)
      fetch_narrow<U>(b, t, from);
    else
      each_position(b, t, t.valid_rows, t.valid_cols,
                    [&](std::int64_t r, std::int64_t c) { b.template fetch<U>(at(b, t, r, c), from(r, c)); });
  });
}

/// Sixteen bytes that are moved by one instruction.
struct alignas(16) Quad {
  std::uint32_t word[4];
};

/// The largest of 16, 8 and 4 that divides all numbers whose bitwise or is `bits`, otherwise 1.
PTO_INTERNAL std::int64_t common_step(std::uint64_t bits) {
  if (bits % 16 == 0) return 16;
  if (bits % 8 == 0) return 8;
  return bits % 4 == 0 ? 4 : 1;
}

/// Calls f with a value of the widest type by which rows of that alignment can be moved. Returns false, without a call,
/// if there is none.
template <class F>
PTO_INTERNAL bool with_step(std::uint64_t bits, F&& f) {
  const std::int64_t step = common_step(bits);
  if (step == 16)
    f(Quad{});
  else if (step == 8)
    f(std::uint64_t{});
  else if (step == 4)
    f(std::uint32_t{});
  return step != 1;
}

/// The rows of a RowMajor tile that are moved from or to contiguous rows elsewhere. Sizes and offsets are in bytes.
struct Rows {
  Count count, bytes;
  std::int64_t tile_offset, tile_step;
};
PTO_INTERNAL Rows rows_of(const TileDesc& t) {
  const std::int64_t size = instr::size_of(t.dtype);
  return {static_cast<Count>(t.valid_rows), static_cast<Count>(t.valid_cols * size), t.offset, t.cols * size};
}
PTO_INTERNAL std::uint64_t alignment_bits(const Rows& rows) {
  const std::int64_t step = rows.count > 1 ? rows.tile_step : 0;
  return rows.bytes | static_cast<std::uint64_t>(rows.tile_offset) | static_cast<std::uint64_t>(step);
}

/// Fills the rows of the tile from the addresses that `from(r)` returns; null gives zeros.
template <class V, class B, class From>
PTO_INTERNAL void fetch_rows(B& b, const Rows& rows, From&& from) {
  const Count in_row = rows.bytes / sizeof(V);
  std::byte* const tile = b.ub() + rows.tile_offset;
  each_mine(b, rows.count * in_row, [&](Count i) {
    const Count r = i / in_row, k = i % in_row;
    const std::byte* row = from(r);
    b.template fetch<V>(tile + r * rows.tile_step + k * sizeof(V), row ? row + k * sizeof(V) : nullptr);
  });
}

/// Stores the rows of the tile to the addresses that `to(r)` returns; null skips the row. A thread reads several pieces
/// before it stores the first.
template <class V, class B, class To>
PTO_INTERNAL void store_rows(B& b, const Rows& rows, To&& to) {
  constexpr Count batch = 4;
  const Count in_row = rows.bytes / sizeof(V), count = rows.count * in_row;
  const std::byte* const tile = b.ub() + rows.tile_offset;
  for (Count first = b.tid(); first < count; first += batch * b.threads()) {
    V value[batch];
    for (Count k = 0; k < batch; ++k) {
      const Count i = first + k * b.threads(), r = i / in_row;
      if (i < count) value[k] = reinterpret_cast<const V*>(tile + r * rows.tile_step)[i % in_row];
    }
    for (Count k = 0; k < batch; ++k) {
      const Count i = first + k * b.threads();
      std::byte* const row = i < count ? to(i / in_row) : nullptr;
      if (row) reinterpret_cast<V*>(row)[i % in_row] = value[k];
    }
  }
}

}  // namespace pto::instr::cuda
