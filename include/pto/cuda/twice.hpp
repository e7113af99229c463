// SPDX-License-Identifier: Apache-2.0
// Finds positions that select the same slot as an earlier position.
//
// Positions are processed in chunks. The slots of a chunk are entered into a small hash table, each with its first
// position in the chunk; then the slots of all positions of the chunk and after it are looked up. In the chunk, all
// positions of a slot but the first are counted. Of the positions after it, one is counted for each slot of the table;
// the others are counted with a later chunk.
#pragma once

#include "pto/cuda/last.hpp"
#include "pto/cuda/state.hpp"

namespace pto::instr::cuda {

namespace detail {

// Small functions that are not inlined: a kernel gets registers for everything that it may call, checked or not.

/// Enters position i for its slot, unless an earlier position is entered. Entries are complements of positions; 0 is
/// free.
template <class B, class SlotOf>
AICORE __attribute__((noinline)) void keep_first(B& b, Count i, SlotOf&& slot_of) {
  LastScratch& s = b.state().last;
  const std::int64_t slot = slot_of(i);
  if (slot < 0) return;
  for (Count e = claim_of(slot);; e = (e + 1) % LastScratch::claims) {
    const std::uint32_t kept = b.exchange_if(&s.claim[e], 0u, ~i);
    if (kept == 0) return;
    if (slot_of(~kept) == slot) return b.atomic_max(&s.claim[e], ~i);
  }
}

/// The entry of the slot; `claims` if there is none.
template <class SlotOf>
AICORE __attribute__((noinline)) Count entry_of(const LastScratch& s, std::int64_t slot, SlotOf&& slot_of) {
  for (Count e = claim_of(slot); s.claim[e] != 0; e = (e + 1) % LastScratch::claims)
    if (slot_of(~s.claim[e]) == slot) return e;
  return LastScratch::claims;
}

/// Counts position i if another position of the chunk is entered for its slot. `here`: i is in the chunk; otherwise
/// only the entry is marked.
template <class B, class SlotOf>
AICORE __attribute__((noinline)) void look_up(B& b, Count i, bool here, SlotOf&& slot_of) {
  LastScratch& s = b.state().last;
  const std::int64_t slot = slot_of(i);
  const Count e = slot >= 0 ? entry_of(s, slot, slot_of) : LastScratch::claims;
  if (e == LastScratch::claims || ~s.claim[e] == i) return;
  b.atomic_max(&b.state().twice.second, ~i);
  if (here)
    b.atomic_add(&b.state().twice.count, 1u);
  else
    b.atomic_or(&s.keep[e / 32], 1u << e % 32);
}

/// Counts positions of [first, count) whose slot one of the first `chunk` of them selects too.
template <class B, class SlotOf>
AICORE __attribute__((noinline)) void count_twice(B& b, Count first, Count chunk, Count count, SlotOf&& slot_of) {
  LastScratch& s = b.state().last;
  each_mine(b, LastScratch::claims, [&](Count e) { s.claim[e] = 0; });
  each_mine(b, LastScratch::claims / 32, [&](Count k) { s.keep[k] = 0; });
  b.sync();
  each_mine(b, chunk, [&](Count k) { keep_first(b, first + k, slot_of); });
  b.sync();
  each_mine(b, count - first, [&](Count k) { look_up(b, first + k, k < chunk, slot_of); });
  b.sync();
  each_mine(b, LastScratch::claims, [&](Count e) {
    if (s.keep[e / 32] >> e % 32 & 1u) b.atomic_add(&b.state().twice.count, 1u);
  });
  b.sync();
}

}  // namespace detail

/// Stores in the state of the block how many positions of [0, count) select a slot that an earlier one selects, the
/// first of them, and the first position of its slot. Negative slots are ignored.
template <class B, class SlotOf>
AICORE void find_twice(B& b, Count count, SlotOf&& slot_of) {
  constexpr Count most = LastScratch::claims / 2;
  Twice& twice = b.state().twice;
  if (b.tid() == 0) twice = {};
  b.sync();
  for (Count first = 0; first < count; first += most)
    detail::count_twice(b, first, count - first < most ? count - first : most, count, slot_of);
  if (twice.count == 0) return;
  const Count second = ~twice.second;
  const std::int64_t slot = slot_of(second);
  each_mine(b, second, [&](Count i) {
    if (slot_of(i) == slot) b.atomic_max(&twice.first, ~i);
  });
  b.sync();
}

}  // namespace pto::instr::cuda
