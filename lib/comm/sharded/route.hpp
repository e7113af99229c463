// SPDX-License-Identifier: Apache-2.0
// Sorts the indices of a rank by the rank that owns the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/sharded/shards.hpp"

namespace ptox::detail {

/// Calls visit(slots, first position, count) for runs of resolved slots, which are std::uint32_t or std::uint64_t.
template <class V>
void each_run(const Slots& slots, std::int64_t begin, std::int64_t end, V&& visit) {
  constexpr std::int64_t batch = 4096;
  alignas(64) std::byte room[8 * batch];
  for (std::int64_t i = begin; i < end; i += batch) {
    const std::int64_t count = std::min(batch, end - i);
    const void* run = slots.resolve(i, count, room);
    if (slots.wide())
      visit(static_cast<const std::uint64_t*>(run), i, count);
    else
      visit(static_cast<const std::uint32_t*>(run), i, count);
  }
}

/// The indices of a call, sorted by owner and for each owner in the order of the call: their positions in the call, and
/// the numbers of their rows in the owner's block. Invalid indices are left out, and those of excluded owners.
class Route {
 public:
  /// Counts the indices of each rank r for which takes(r) holds; other owners are excluded.
  template <class Takes>
  Route(const ShardedCall& call, const Slots& slots, Takes&& takes);
  /// Without indices.
  explicit Route(int ranks) : counts_(static_cast<std::size_t>(ranks)) {}

  std::span<const std::int64_t> counts() const { return counts_; }
  std::int64_t count(int rank) const { return counts_[static_cast<std::size_t>(rank)]; }

  /// Sorts the indices, which the constructor only counts.
  void fill(const ShardedCall& call, const Slots& slots);
  /// The positions and row numbers for a rank, from its i-th index on.
  const std::uint64_t* positions(int rank, std::int64_t i) const { return positions_.data() + at(rank, i); }
  const std::byte* slots(int rank, std::int64_t i) const { return slots_.data() + at(rank, i) * slot_bytes_; }

 private:
  std::size_t at(int rank, std::int64_t i) const {
    return begins_[static_cast<std::size_t>(rank)] + static_cast<std::size_t>(i);
  }
  void count_all(const ShardedCall& call, const Slots& slots);
  template <class Slot>
  void fill_as(const ShardedCall& call, const Slots& slots);

  std::vector<std::int64_t> counts_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint64_t> positions_;
  std::vector<std::byte> slots_;
  std::size_t slot_bytes_ = 4;
};

template <class Takes>
Route::Route(const ShardedCall& call, const Slots& slots, Takes&& takes) : Route(call.ranks()) {
  bool any = false;
  for (int r = 0; r < call.ranks(); ++r) any |= takes(r);
  if (!any) return;
  count_all(call, slots);
  for (int r = 0; r < call.ranks(); ++r)
    if (!takes(r)) counts_[static_cast<std::size_t>(r)] = 0;
}

}  // namespace ptox::detail
