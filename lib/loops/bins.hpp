// SPDX-License-Identifier: Apache-2.0
// Blocks of memory that hold slots and values sorted by region of the table, allocated as needed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "loops/kernels.hpp"

namespace ptox {

/// The entries of one thread, sorted by region; within a region they keep their input order. Slots past the capacity
/// are dropped.
class Bins {
 public:
  static constexpr int most_regions = 1024;

  struct Entries {
    const void* slots;
    bool wide;
    std::uint64_t capacity;   ///< at most 2^32
    const std::byte* values;  ///< of `value_bytes` each; 0: slots without values
    std::int64_t value_bytes, count;
    bool mixed;  ///< see Sorting::mixed
  };

  /// Bins for at most `most` entries (fewer than 2^31), with values if `valued`. `memory` belongs to the caller, starts
  /// at a page, and has at least the size that `bytes` returns for the same arguments.
  Bins(int regions, std::int64_t most, bool valued, std::byte* memory);
  static std::size_t bytes(int regions, std::int64_t most, bool valued);

  /// Replaces the contents by these entries. The region of a slot is slot >> shift.
  void sort(const Entries&, int shift);

  int regions() const { return static_cast<int>(bins_.size()); }
  /// The number of entries in all regions.
  std::int64_t kept() const;
  std::int64_t count(int region) const { return bins_[static_cast<std::size_t>(region)].count; }

  /// Calls visit(entries, count, next_entries, next_count) for each block of a region, in order; the last two describe
  /// the block after it, and next_count is 0 for the last block.
  template <class Visit>
  void each(int region, Visit&& visit) const {
    std::uint32_t number = bins_[static_cast<std::size_t>(region)].first;
    const auto here = [&](std::int64_t left) { return left < per_block_ ? left : per_block_; };
    for (std::int64_t left = count(region); left > 0; left -= per_block_) {
      const std::uint32_t next = left > per_block_ ? links_[number] : number;
      visit(block(number), here(left), block(next), left > per_block_ ? here(left - per_block_) : 0);
      number = next;
    }
  }

  /// Reads the values of type T that a gather wrote over the slots of each block. The slots were sorted without values.
  template <class T>
  class Reader {
   public:
    explicit Reader(const Bins& bins) : bins_(bins) {
      std::size_t b = 0;
      for (; b < bins.bins_.size(); ++b) next_[b] = bins.block(bins.bins_[b].first);
      for (; b < bins.fill_.size(); ++b) next_[b] = bins.stage_ + bins.fill_[b];  // never equals the end of a block
    }
    /// Returns the next value of a region; 0 for an entry that was dropped.
    T take(Sorting::Place place) {
      const auto [region, kept] = place;
      constexpr std::uintptr_t used = Sorting::block / 4 * sizeof(T);
      const std::byte* at = next_[region];
      T value;
      __builtin_memcpy(&value, at, sizeof value);
      __builtin_prefetch(at + 64, 0, 2);
      at += sizeof(T) & kept;
      if (reinterpret_cast<std::uintptr_t>(at) % Sorting::block == used % Sorting::block) [[unlikely]]
        at = bins_.after(at - sizeof(T));
      next_[region] = at;
      return static_cast<T>(value & kept);
    }

   private:
    const Bins& bins_;
    std::array<const std::byte*, most_regions + Sorting::dropped> next_;
  };

 private:
  std::byte* block(std::uint32_t number) const { return memory_ + number * std::size_t{Sorting::block}; }
  /// The block that is linked behind the one containing `at`.
  const std::byte* after(const std::byte* at) const {
    return block(links_[static_cast<std::size_t>(at - memory_) / Sorting::block]);
  }
  std::byte* open(std::uint32_t region);
  void put_rest(std::uint32_t region);

  struct Bin {
    std::uint32_t first = 0, last = 0, blocks = 0;
    std::int64_t count = 0;
  };

  std::int64_t entry_bytes_, per_block_;
  std::uint32_t taken_ = 0;
  std::vector<Bin> bins_;             ///< by region
  std::vector<std::uint32_t> links_;  ///< by block: the next block of the same region
  std::vector<std::uint32_t> fill_;   ///< Sorting::fill, with the regions of dropped entries
  std::vector<std::byte*> ends_;      ///< Sorting::ends, with those regions
  std::byte *memory_, *stage_;        ///< the blocks, and Sorting::stage behind them
};

}  // namespace ptox
