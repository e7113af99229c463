// SPDX-License-Identifier: Apache-2.0
// The index tiles that a block has loaded, so that a move by one of them can prefetch the rows that the next one names.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ptox {

/// The last few index tiles that TLOAD filled, in the order of their loads. A kernel that loads the indices of the next
/// tile before it moves the rows of this one gives the engine the time to prefetch them. The values are read from the
/// tiles alone and are used for prefetches only: if another instruction has overwritten them since then, this costs
/// time but does not change results.
class IndexTiles {
 public:
  static constexpr std::int64_t most_bytes = 2048;  ///< a tile of this size or more counts as data

  /// Starts a block with no tile known.
  void start() { *this = {}; }

  /// Records that TLOAD filled [tile, tile + bytes) from global memory at `from`. While indices are loaded in order,
  /// those two tiles ahead in global memory are prefetched, because the hardware prefetcher is too late among so many
  /// accesses to random rows.
  void load(const std::byte* tile, const std::byte* from, std::int64_t bytes) {
    Loaded& slot = slot_for(tile, bytes);
    if (!slot.is(tile, bytes)) slot = {tile, bytes};
    slot.number = ++loads_;
    if (slot.contains(prefetched_, 1)) prefetched_ = nullptr;
    if (from == end_) prefetch(from + 2 * bytes, bytes);
    end_ = from + bytes;
  }

  /// Whether an earlier move has prefetched the rows of `table` that the indices at `idx` name.
  bool prefetched(const std::byte* idx, const std::byte* table) const {
    return idx == prefetched_ && table == prefetched_table_;
  }

  /// Records that a move between a tile and `table` uses the indices [idx, idx + bytes). Returns the same number of
  /// loaded indices that are likely to be used next with that table, so that the caller prefetches their rows: the rest
  /// of the same tile, or the tile loaded after it if the block used it with that table before. nullptr if there are
  /// none.
  const std::uint32_t* use(const std::byte* idx, const std::byte* table, std::int64_t bytes) {
    const auto mine = std::find_if(tiles_.begin(), tiles_.end(), [&](auto& t) { return t.contains(idx, bytes); });
    if (mine == tiles_.end()) return nullptr;
    mine->table = table;
    const std::byte* next = idx + bytes;
    if (!mine->contains(next, bytes)) {
      const Loaded* later = loaded_after(*mine);
      if (!later || later->table != table || later->bytes < bytes) return nullptr;
      next = later->begin;
    }
    prefetched_ = next, prefetched_table_ = table;
    return reinterpret_cast<const std::uint32_t*>(next);
  }

 private:
  struct Loaded {
    const std::byte* begin = nullptr;
    std::int64_t bytes = 0;
    const std::byte* table = nullptr;  ///< the table with which the tile was last used
    std::uint64_t number = 0;          ///< sequence number of the load

    bool is(const std::byte* tile, std::int64_t n) const { return begin == tile && bytes == n; }
    bool contains(const std::byte* at, std::int64_t n) const { return begin <= at && at + n <= begin + bytes; }
    bool overlaps(const std::byte* at, std::int64_t n) const { return begin < at + n && at < begin + bytes; }
  };

  /// The slot of that tile, otherwise the oldest one. Clears the slots of other tiles that overlap it.
  Loaded& slot_for(const std::byte* tile, std::int64_t bytes) {
    Loaded* found = tiles_.data();
    for (Loaded& t : tiles_) {
      if (t.is(tile, bytes)) return t;
      if (t.overlaps(tile, bytes)) t = {};
      if (t.number < found->number) found = &t;
    }
    return *found;
  }
  const Loaded* loaded_after(const Loaded& before) const {
    const Loaded* found = nullptr;
    for (const Loaded& t : tiles_)
      if (t.number > before.number && (!found || t.number < found->number)) found = &t;
    return found;
  }
  /// Always inline: g++ 12 drops calls of functions that only prefetch.
  [[gnu::always_inline]] static void prefetch(const std::byte* from, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i);
  }

  std::array<Loaded, 4> tiles_{};
  std::uint64_t loads_ = 0;
  const std::byte* end_ = nullptr;  ///< end of the last load in global memory
  const std::byte *prefetched_ = nullptr, *prefetched_table_ = nullptr;
};

}  // namespace ptox
