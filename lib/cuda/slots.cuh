// SPDX-License-Identifier: Apache-2.0
// The slot of the table that an index selects, on the GPU.
#pragma once

#include "cuda/move.hpp"

namespace ptox::cuda {

/// A slot of the table; negative if there is none.
struct Slot {
  std::int64_t at;
  __device__ bool valid() const { return at >= 0; }
};

/// Records the first position with an undefined index, and that index. The thread that lowered the position writes the
/// index under the lock, unless another thread has lowered the position since.
inline __device__ void remember(Offence* first, std::int64_t position, std::uint64_t index) {
  const auto mine = static_cast<unsigned long long>(position);
  const auto* seen = &static_cast<const volatile Offence*>(first)->position;
  if (mine >= *seen || atomicMin(&first->position, mine) <= mine) return;
  while (atomicCAS(&first->lock, Offence::free, 0u) != Offence::free) {
  }
  __threadfence();
  if (mine == *seen) first->index = index;
  __threadfence();
  atomicExch(&first->lock, Offence::free);
}

/// The slot of an index that is not below the capacity, according to the policy. An undefined index is recorded and has
/// none.
inline __device__ Slot past_the_end(const Move& m, std::uint64_t index, std::int64_t position) {
  if (m.capacity > 0 && m.oob == OutOfRange::clamp) return {m.capacity - 1};
  if (m.capacity > 0 && m.oob == OutOfRange::wrap)
    return {static_cast<std::int64_t>(index % static_cast<std::uint64_t>(m.capacity))};
  if (m.oob != OutOfRange::drop) remember(m.offence, position, index);
  return {-1};
}

/// The slot of `index`, which is the index at that position.
inline __device__ Slot slot_at(const Move& m, std::uint64_t index, std::int64_t position) {
  if (index < static_cast<std::uint64_t>(m.capacity)) [[likely]]
    return {static_cast<std::int64_t>(index)};
  return past_the_end(m, index, position);
}

inline __device__ Slot slot_of(const Move& m, std::int64_t position) {
  if (m.wide) return slot_at(m, __ldcs(static_cast<const std::uint64_t*>(m.idx) + position), position);
  return slot_at(m, __ldcs(static_cast<const std::uint32_t*>(m.idx) + position), position);
}

/// The slot, or none if a later position stores to the same slot.
inline __device__ Slot if_won(const Move& m, Slot slot, std::int64_t position) {
  if (m.winners && slot.valid() && m.winners[slot.at] != static_cast<std::uint32_t>(position + 1)) return {-1};
  return slot;
}

}  // namespace ptox::cuda
