// SPDX-License-Identifier: Apache-2.0
// The loops that move rows and elements on the host, selected by instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/inline.hpp"
#include "cpu/level.hpp"
#include "pto/isa/policy.hpp"
#include "pto/tile/dtype.hpp"

namespace ptox {

/// One run of rows on one thread. An element is a row of its size. Strides and sizes are bytes.
struct Move {
  static constexpr std::uint64_t unchecked = ~std::uint64_t{0};  ///< as capacity: all slots are below the table's

  std::byte* table;
  std::int64_t stride;
  std::uint64_t capacity;  ///< gather: a slot from here on gives zeros; scatter: all slots are below it
  std::byte* data;         ///< what is gathered into or scattered from
  std::int64_t data_stride;
  std::int64_t row_bytes;
  const void* slots;                         ///< uint32_t or, wide, uint64_t
  const std::uint32_t* positions = nullptr;  ///< scatter: which row of data goes to slot i; null: row i
  std::int64_t count = 0;
  const std::uint32_t* following = nullptr;  ///< rows: slots whose rows are prefetched meanwhile; nullptr: none
  std::int64_t following_count = 0;          ///< at most `count`
  const std::byte* const* asked = nullptr;   ///< gather: rows of as many bytes that are fetched between those it moves
  std::int64_t asked_count = 0;              ///< at most `count`
  bool tile = false;                         ///< gather: those, or what follows, are all that it need fetch between
  bool fetched = false;             ///< its own rows are prefetched already, as those that followed another move
  const std::byte* next = nullptr;  ///< scatter: as many bytes that will be read after it, fetched meanwhile
  bool paired =
      false;  ///< scatter of single elements: slot and value in turn, each at a multiple of 4 bytes from `slots` on
  static constexpr std::int64_t meanwhile_elements = 8;
  const std::byte* meanwhile = nullptr;  ///< paired, or gathered: lines to fetch, a step on for so many elements
  std::int64_t meanwhile_step = 0;
  bool far = false;     ///< the table does not fit the caches: fetch ahead
  bool near = false;    ///< the table fits the second cache
  bool stream = false;  ///< what is written will not be read from the caches: write past them, and fence later
};

/// Slots and positions of a batch that somebody owns.
struct Picked {
  void* slots;
  std::uint32_t* positions;
};

/// Rows of one size that are fetched and not moved.
struct FetchedRows {
  const std::byte* const* rows;
  std::int64_t count, row_bytes;
};

using MoveLoop = void (*)(const Move&);

/// Slots that are sorted by region, slot >> shift, and with each, behind it, its value, if there are any. Little
/// endian.
struct Sorting {
  static constexpr std::int64_t together = 256;  ///< bytes of a region that leave the stage at a time
  static constexpr std::int64_t block = 4096;    ///< bytes of a block, which begins at a multiple of them
  /// Slots past the capacity go to so many regions in turn, for which one need not wait for the one before; they are
  /// not kept.
  static constexpr std::uint32_t dropped = 8;

  const void* slots;
  const std::byte* values;
  std::int64_t count;
  int shift;
  std::uint64_t capacity;  ///< at most 2^32
  std::uint32_t nowhere;   ///< the first of those regions, which come last
  std::byte* stage;        ///< `together` bytes a region
  std::uint32_t* fill;     ///< by region: where its next entry goes in the stage
  std::byte** ends;        ///< by region: where its next bytes leave to; at a block's end, or null: to one to be opened
  std::byte* (*open)(void* owner, std::uint32_t region);
  void* owner;

  bool mixed;  ///< so many are dropped that none knows which

  /// The region of entry i, and all ones, or zeros for one that is dropped.
  struct Place {
    std::uint32_t region, kept;
  };
  template <bool mixed, class Index>
  static PTOX_INLINE Place place(Index slot, std::int64_t i, int shift, std::uint64_t capacity, std::uint32_t nowhere) {
    const std::uint32_t region = static_cast<std::uint32_t>(slot) >> shift;
    const std::uint32_t other = nowhere + static_cast<std::uint32_t>(i) % dropped;
    if constexpr (!mixed) {
      if (slot < capacity) [[likely]]
        return {region, ~0u};
      return {other, 0};
    }
    // By the sign of a difference: what a compiler makes of a comparison waits for what was in its register before.
    const std::uint64_t wide = slot;
    const auto kept = static_cast<std::uint32_t>(static_cast<std::int64_t>((wide - capacity) & ~wide) >> 63);
    return {other ^ ((region ^ other) & kept), kept};
  }
};
using SortLoop = void (*)(const Sorting&);

struct Kernels {
  MoveLoop gather[2];         ///< by wide
  MoveLoop scatter[2];        ///< the last one wins
  MoveLoop update[2][3][15];  ///< by wide, Add, Max, Min, and dtype; null: only moved
  std::uint64_t (*largest[2])(const void* slots, std::int64_t count);
  /// Keeps the slots in [first, end), in order; returns how many. `picked` has room for count + 16.
  std::int64_t (*pick[2])(const void* slots, std::int64_t count, std::uint64_t first, std::uint64_t end, Picked picked);
  SortLoop sort[2][4];  ///< by wide, and how many bits count the bytes of a value
  void (*copy)(std::byte* to, const std::byte* from, std::int64_t bytes, bool stream);
  /// The same past the caches, and with each line that leaves a line of the rows is fetched, row after row.
  void (*stream_fetching)(std::byte* to, const std::byte* from, std::int64_t bytes, FetchedRows rows);
  /// What was streamed before is in memory before anything later.
  void (*fence)();

  MoveLoop updating(bool wide, pto::ScatterAtomicOp op, pto::instr::DType dtype) const {
    if (op == pto::ScatterAtomicOp::None) return scatter[wide];
    return update[wide][static_cast<int>(op) - 1][static_cast<int>(dtype)];
  }
};

/// Those of the level in use.
const Kernels& kernels();

const Kernels& baseline_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
const Kernels& avx512fp16_kernels();
const Kernels& neon_kernels();

}  // namespace ptox
