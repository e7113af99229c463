// SPDX-License-Identifier: Apache-2.0
// Finds the last of several positions that select the same slot.
//
// Positions are processed in chunks of one position for each thread, with a barrier between chunks, so that later
// chunks overwrite earlier ones. In a chunk, each position claims the entry of a small hash table that belongs to its
// slot, and the highest position gets the entry. A position that lost to one with the same slot is done; one that lost
// to another slot tries again in the next round.
#pragma once

#include "pto/cuda/share.hpp"

namespace pto::instr::cuda {

/// Shared memory for finding the last writers.
struct LastScratch {
  static constexpr Count claims = 512, most_threads = 1024;
  std::uint32_t claim[claims];            ///< position in the chunk, from 1; in twice.hpp its complement; 0: free
  std::uint32_t keep[most_threads / 32];  ///< one bit for each position of the chunk
  std::uint32_t left;                     ///< whether a position has to try again
};

namespace detail {

PTO_INTERNAL Count claim_of(std::int64_t slot) {
  return static_cast<Count>(static_cast<std::uint64_t>(slot) * 0x9E3779B97F4A7C15u >> 55) % LastScratch::claims;
}

/// Calls won(i, slot) in the thread of each position i of [first, first + threads) whose slot no later one of these
/// positions selects.
template <class B, class SlotOf, class Won>
PTO_INTERNAL void settle_chunk(B& b, Count first, Count count, SlotOf&& slot_of, Won&& won) {
  LastScratch& s = b.state().last;
  const Count mine = first + b.tid();
  std::int64_t slot = mine < count ? slot_of(mine) : instr::Slot::none;
  for (bool more = true; more;) {
    each_mine(b, LastScratch::claims, [&](Count i) { s.claim[i] = 0; });
    if (b.tid() == 0) s.left = 0;
    b.sync();
    if (slot >= 0) b.atomic_max(&s.claim[claim_of(slot)], b.tid() + 1);
    b.sync();
    if (slot >= 0) {
      const Count winner = first + s.claim[claim_of(slot)] - 1;
      if (winner == mine) won(mine, slot);
      if (winner == mine || slot_of(winner) == slot)
        slot = instr::Slot::none;
      else
        b.atomic_max(&s.left, 1u);
    }
    b.sync();
    more = s.left != 0;
    b.sync();
  }
}

}  // namespace detail

/// Calls store(i, slot) for each slot that a position of a chunk selects, with the last such position of the chunk.
/// Chunks are processed in order, so that the last call for a slot has the last position of [0, count) that selects it.
template <class B, class SlotOf, class Store>
PTO_INTERNAL void last_of_each(B& b, Count count, SlotOf&& slot_of, Store&& store) {
  for (Count first = 0; first < count; first += b.threads()) detail::settle_chunk(b, first, count, slot_of, store);
}

/// The same for whole chunks: all threads call store(first, count, keep), where keep(r) is whether first + r is the
/// last position of the chunk for its slot.
template <class B, class SlotOf, class Store>
PTO_INTERNAL void last_by_chunks(B& b, Count count, SlotOf&& slot_of, Store&& store) {
  LastScratch& s = b.state().last;
  for (Count first = 0; first < count; first += b.threads()) {
    each_mine(b, LastScratch::most_threads / 32, [&](Count i) { s.keep[i] = 0; });
    detail::settle_chunk(b, first, count, slot_of, [&](Count i, std::int64_t) {
      b.atomic_or(&s.keep[(i - first) / 32], 1u << ((i - first) % 32));
    });
    const Count left = count - first, in_chunk = left < b.threads() ? left : b.threads();
    store(first, in_chunk, [&](Count r) { return (s.keep[r / 32] >> (r % 32) & 1u) != 0; });
    b.sync();
  }
}

}  // namespace pto::instr::cuda
