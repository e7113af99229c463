// SPDX-License-Identifier: Apache-2.0
// The table of loops of the SIMD level whose source file includes this header. Internal to that file.
#pragma once

#include "loops/gathers.hpp"
#include "loops/sorts.hpp"
#include "loops/updates.hpp"

namespace ptox {
namespace {

template <class Slot>
std::uint64_t largest(const void* slots, std::int64_t count) {
  constexpr int lanes = vector_bytes / sizeof(Slot);
  using V = Vector<Slot, lanes>;
  const Slot* at = static_cast<const Slot*>(slots);
  V best[4]{};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes)
    for (int k = 0; k < 4; ++k) {
      const V v = load<V>(at + i + k * lanes);
      best[k] = v > best[k] ? v : best[k];
    }
  Slot top = 0;
  for (const V& b : best)
    for (int k = 0; k < lanes; ++k) top = b[k] > top ? b[k] : top;
  for (; i < count; ++i) top = at[i] > top ? at[i] : top;
  return top;
}

/// Picks from the indices from `i` on, without a branch for each index; returns the number kept in all.
template <class Slot>
std::int64_t pick_rest(const Slot* at, std::int64_t i, std::int64_t count, std::uint64_t first, std::uint64_t end,
                       Picked picked, std::int64_t kept) {
  Slot* slots = static_cast<Slot*>(picked.slots);
  for (; i < count; ++i) {
    slots[kept] = at[i], picked.positions[kept] = static_cast<std::uint32_t>(i);
    kept += std::uint64_t{at[i]} - first < end - first;
  }
  return kept;
}

template <class Slot>
std::int64_t pick(const void* slots, std::int64_t count, std::uint64_t first, std::uint64_t end, Picked picked) {
  return pick_rest(static_cast<const Slot*>(slots), 0, count, first, end, picked, 0);
}

#if defined(__AVX512F__)
/// Compresses into a register, because the instruction is slow with a memory operand.
template <>
std::int64_t pick<std::uint32_t>(const void* slots, std::int64_t count, std::uint64_t first, std::uint64_t end,
                                 Picked picked) {
  const auto* at = static_cast<const std::uint32_t*>(slots);
  auto* to = static_cast<std::uint32_t*>(picked.slots);
  if (end > std::uint64_t{1} << 32) end = std::uint64_t{1} << 32;
  if (first >= end) return 0;
  const std::uint64_t span = end - first;
  const __m512i low = _mm512_set1_epi32(static_cast<int>(first)), last = _mm512_set1_epi32(static_cast<int>(span - 1));
  __m512i position = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  std::int64_t i = 0, kept = 0;
  for (; i + 16 <= count; i += 16, position = _mm512_add_epi32(position, _mm512_set1_epi32(16))) {
    const __m512i v = _mm512_loadu_si512(at + i);
    const __mmask16 mine = _mm512_cmple_epu32_mask(_mm512_sub_epi32(v, low), last);
    _mm512_storeu_si512(to + kept, _mm512_maskz_compress_epi32(mine, v));
    _mm512_storeu_si512(picked.positions + kept, _mm512_maskz_compress_epi32(mine, position));
    kept += __builtin_popcount(mine);
  }
  return pick_rest(at, i, count, first, end, picked, kept);
}
#endif

inline void copy(std::byte* to, const std::byte* from, std::int64_t bytes, bool stream) {
  if (bytes > 0) copy_bytes(to, from, bytes, stream);
}

inline void stream_fetching(std::byte* to, const std::byte* from, std::int64_t bytes, FetchedRows rows) {
  const std::int64_t head = least(-static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) & (line - 1), bytes);
  std::int64_t at = head;
  copy(to, from, head, false);
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const std::byte *const row = rows.rows[i], *const end = row + rows.row_bytes;
    for (const std::byte* p = row - reinterpret_cast<std::uintptr_t>(row) % line; p < end; p += line) {
      __builtin_prefetch(p, 0, 2);
      if (at + line > bytes) continue;
      stream_line(to + at, load_line(from + at));
      at += line;
    }
  }
  copy(to + at, from + at, bytes - at, true);
}

template <class Slot>
void set_loops(Kernels& k, bool wide) {
  k.gather[wide] = gather<Slot>;
  k.scatter[wide] = scatter<Slot>;
  k.largest[wide] = largest<Slot>;
  k.pick[wide] = pick<Slot>;
  set_sorts<Slot>(k.sort[wide]);
  set_updates<Add, Slot>(k.update[wide][0]);
  set_updates<Max, Slot>(k.update[wide][1]);
  set_updates<Min, Slot>(k.update[wide][2]);
}

inline Kernels level_kernels() {
  Kernels k{};
  set_loops<std::uint32_t>(k, false);
  set_loops<std::uint64_t>(k, true);
  k.copy = copy;
  k.stream_fetching = stream_fetching;
  k.fence = stream_end;
  return k;
}

}  // namespace
}  // namespace ptox
