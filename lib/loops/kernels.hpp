// SPDX-License-Identifier: Apache-2.0
// The loops that move rows and elements on the host, selected by instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/inline.hpp"
#include "loops/level.hpp"
#include "pto/isa/policy.hpp"
#include "pto/tile/dtype.hpp"

namespace ptox {

/// A gather or scatter of rows on one thread. An element is a row of its size. Strides and sizes are in bytes.
struct Move {
  static constexpr std::uint64_t unchecked = ~std::uint64_t{0};  ///< as capacity: all slots are valid

  std::byte* table;
  std::int64_t stride;
  std::uint64_t capacity;  ///< gather: slots at or past it give zeros; scatter: all slots are below it
  std::byte* data;         ///< the destination of a gather, the source of a scatter
  std::int64_t data_stride;
  std::int64_t row_bytes;
  const void* slots;                         ///< uint32_t, or uint64_t for the loops that are `wide`
  const std::uint32_t* positions = nullptr;  ///< scatter: the data row for slot i; nullptr: row i
  std::int64_t count = 0;
  const std::uint32_t* following = nullptr;  ///< slots whose rows are prefetched during this move; nullptr: none
  std::int64_t following_count = 0;          ///< at most `count`
  const std::byte* const* asked = nullptr;   ///< gather: rows of row_bytes that TPREFETCH requested, prefetched too
  std::int64_t asked_count = 0;              ///< at most `count`
  bool tile = false;                ///< gather: use the loop for tiles, which prefetches one of those rows per row
  bool fetched = false;             ///< the rows of this move have already been prefetched
  const std::byte* next = nullptr;  ///< scatter: data of the same size that is read next, prefetched during this move
  bool paired =
      false;  ///< scatter of single elements: slots and values alternate, each at a multiple of 4 bytes from `slots`
  static constexpr std::int64_t meanwhile_elements = 8;
  const std::byte* meanwhile = nullptr;  ///< paired scatters and gathers: memory to prefetch
  std::int64_t meanwhile_step = 0;       ///< bytes of it that are prefetched with each meanwhile_elements elements
  bool far = false;                      ///< the table exceeds the caches: prefetch its rows
  bool near = false;                     ///< the table fits into L2
  bool stream = false;                   ///< write whole lines with non-temporal stores; the caller fences later
};

/// Where `pick` stores the slots it keeps and their positions.
struct Picked {
  void* slots;
  std::uint32_t* positions;
};

/// Rows of one size that are only prefetched.
struct FetchedRows {
  const std::byte* const* rows;
  std::int64_t count, row_bytes;
};

using MoveLoop = void (*)(const Move&);

/// The arguments of a sort of entries by region, slot >> shift. An entry is a slot, or a slot with its value behind it,
/// little endian. The entries of a region are collected in a stage, from which they are moved to blocks.
struct Sorting {
  static constexpr std::int64_t together = 256;  ///< bytes that are moved from the stage to a block at a time
  static constexpr std::int64_t block = 4096;    ///< bytes of a block, and its alignment
  /// Number of extra regions, to which slots past the capacity are assigned in turn so that they do not depend on each
  /// other. Their entries are not kept.
  static constexpr std::uint32_t dropped = 8;

  const void* slots;
  const std::byte* values;
  std::int64_t count;
  int shift;
  std::uint64_t capacity;  ///< at most 2^32
  std::uint32_t nowhere;   ///< the first of the extra regions, which follow the others
  std::byte* stage;        ///< `together` bytes for each region
  std::uint32_t* fill;     ///< by region: the offset of its next entry in the stage
  std::byte** ends;        ///< by region: where its next bytes are moved; nullptr or a block's end: open a block first
  std::byte* (*open)(void* owner, std::uint32_t region);
  void* owner;

  bool mixed;  ///< valid slots and slots past the capacity are mixed: use the branch-free variant

  /// The region of an entry; `kept` is all ones, or 0 if the entry is dropped.
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
    // The mask is the sign of a difference: the code that compilers generate for a comparison has a false dependency on
    // the previous value of its register.
    const std::uint64_t wide = slot;
    const auto kept = static_cast<std::uint32_t>(static_cast<std::int64_t>((wide - capacity) & ~wide) >> 63);
    return {other ^ ((region ^ other) & kept), kept};
  }
};
using SortLoop = void (*)(const Sorting&);

struct Kernels {
  MoveLoop gather[2];         ///< indexed by wide
  MoveLoop scatter[2];        ///< indexed by wide; of several rows for a slot the last one remains
  MoveLoop update[2][3][15];  ///< indexed by wide, operation (Add, Max, Min) and dtype; nullptr: can only be moved
  std::uint64_t (*largest[2])(const void* slots, std::int64_t count);
  /// Stores the slots that are in [first, end), in order, and their positions; returns their number. `picked` has room
  /// for count + 16.
  std::int64_t (*pick[2])(const void* slots, std::int64_t count, std::uint64_t first, std::uint64_t end, Picked picked);
  SortLoop sort[2][4];  ///< indexed by wide and std::bit_width(bytes of a value)
  void (*copy)(std::byte* to, const std::byte* from, std::int64_t bytes, bool stream);
  /// Copies with non-temporal stores, and prefetches a line of the rows, row after row, with each line that is stored.
  void (*stream_fetching)(std::byte* to, const std::byte* from, std::int64_t bytes, FetchedRows rows);
  /// Makes all earlier non-temporal stores visible before any later store.
  void (*fence)();

  MoveLoop updating(bool wide, pto::ScatterAtomicOp op, pto::instr::DType dtype) const {
    if (op == pto::ScatterAtomicOp::None) return scatter[wide];
    return update[wide][static_cast<int>(op) - 1][static_cast<int>(dtype)];
  }
};

/// The loops of the SIMD level in use.
const Kernels& kernels();

const Kernels& baseline_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
const Kernels& avx512fp16_kernels();
const Kernels& neon_kernels();

}  // namespace ptox
