// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/tile_moves.hpp"

#include <algorithm>
#include <cstring>

#include "loops/caches.hpp"
#include "loops/level.hpp"
#include "loops/tiles/apply.hpp"
#include "loops/tiles/indices.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ptox {

namespace {

template <int bytes>
struct Word {
  using Type [[gnu::vector_size(bytes), gnu::aligned(1), gnu::may_alias]] = char;
};
template <int bytes>
PTOX_INLINE void copy_word(std::byte* to, const std::byte* from) {
  using W = typename Word<bytes>::Type;
  *reinterpret_cast<W*>(to) = *reinterpret_cast<const W*>(from);
}

/// Copies at most 31 bytes, from 4 bytes on as two words that may overlap.
PTOX_INLINE void copy_few(std::byte* to, const std::byte* from, std::int64_t n) {
  if (n >= 16) return copy_word<16>(to, from), copy_word<16>(to + n - 16, from + n - 16);
  if (n >= 8) return copy_word<8>(to, from), copy_word<8>(to + n - 8, from + n - 8);
  if (n >= 4) return copy_word<4>(to, from), copy_word<4>(to + n - 4, from + n - 4);
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

PTOX_INLINE void copy_bytes(std::byte* to, const std::byte* from, std::int64_t n) {
  if (n < 32) return copy_few(to, from, n);
  std::int64_t i = 0;
  for (; i + 128 <= n; i += 128)
    for (int k = 0; k < 4; ++k) copy_word<32>(to + i + 32 * k, from + i + 32 * k);
  for (; i + 32 <= n; i += 32) copy_word<32>(to + i, from + i);
  if (i < n) copy_word<32>(to + n - 32, from + n - 32);
}

/// Replaces the row size and the steps of tile and indices by constants if the rows are dense; 0: returns m as it is.
template <std::int64_t dense>
PTOX_INLINE HostMove dense_move(HostMove m) {
  if constexpr (dense > 0) m.row_bytes = m.tile_step = dense, m.idx_step = 4;
  return m;
}

/// The rest of a gather, from row r on; indices may be out of range.
[[gnu::noinline]] void gather_rest(std::byte* tile, const std::byte* table, const std::byte* idx, const HostMove& m,
                                   std::int64_t r) {
  for (; r < m.rows; ++r) {
    const std::int64_t slot = slot_of(load_index(idx + r * m.idx_step), m);
    const auto n = static_cast<std::size_t>(m.row_bytes);
    std::byte* to = tile + r * m.tile_step;
    slot >= 0 ? std::memcpy(to, table + slot * m.gm_step, n) : std::memset(to, 0, n);
  }
}
[[gnu::noinline]] void scatter_rest(const std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m,
                                    std::int64_t r) {
  for (; r < m.rows; ++r) {
    const std::int64_t slot = slot_of(load_index(idx + r * m.idx_step), m);
    if (slot >= 0) std::memcpy(table + slot * m.gm_step, tile + r * m.tile_step, static_cast<std::size_t>(m.row_bytes));
  }
}

template <std::int64_t dense>
PTOX_INLINE void gather_rows(std::byte* tile, const std::byte* table, const std::byte* idx, const HostMove& move) {
  const HostMove m = dense_move<dense>(move);  // local copy: byte stores may alias `move`
  const std::int64_t r = each_in_range(idx, m, [&](std::int64_t at, std::int64_t slot) PTOX_INLINED {
    copy_bytes(tile + at * m.tile_step, table + slot * m.gm_step, m.row_bytes);
  });
  if (r < m.rows) [[unlikely]]
    gather_rest(tile, table, idx, move, r);
}
template <std::int64_t dense>
PTOX_INLINE void scatter_rows(const std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& move) {
  const HostMove m = dense_move<dense>(move);
  const std::int64_t r = each_in_range(idx, m, [&](std::int64_t at, std::int64_t slot) PTOX_INLINED {
    copy_bytes(table + slot * m.gm_step, tile + at * m.tile_step, m.row_bytes);
  });
  if (r < m.rows) [[unlikely]]
    scatter_rest(tile, table, idx, move, r);
}

template <class T>
PTOX_INLINE T element_at(const std::byte* table, std::uint32_t index, const HostMove& m) {
  T value{};
  const std::int64_t slot = slot_of(index, m);
  if (slot >= 0) std::memcpy(&value, table + slot * static_cast<std::int64_t>(sizeof(T)), sizeof value);
  return value;
}

#if defined(__x86_64__)
PTOX_INLINE bool eight_in_range(const std::byte* idx, std::uint32_t last) {
  const __m128i sign = _mm_set1_epi32(INT32_MIN), most = _mm_set1_epi32(static_cast<int>(last ^ 0x80000000u));
  const auto* four = reinterpret_cast<const __m128i*>(idx);
  const __m128i past_first = _mm_cmpgt_epi32(_mm_xor_si128(_mm_loadu_si128(four), sign), most),
                past_second = _mm_cmpgt_epi32(_mm_xor_si128(_mm_loadu_si128(four + 1), sign), most);
  return _mm_movemask_epi8(_mm_or_si128(past_first, past_second)) == 0;
}
#else
PTOX_INLINE bool eight_in_range(const std::byte* idx, std::uint32_t last) {
  bool all = true;
  for (int k = 0; k < 8; ++k) all &= load_index(idx + k * 4) <= last;
  return all;
}
#endif

/// Gathers four elements, whose indices have to be in range, and writes them with one store.
template <class T>
PTOX_INLINE void gather_four(std::byte* to, const std::byte* table, const std::byte* idx) {
  using Four [[gnu::vector_size(4 * sizeof(T))]] = T;
  const auto element = [&](int k) PTOX_INLINED {
    T value;
    std::memcpy(&value, table + load_index(idx + k * 4) * static_cast<std::int64_t>(sizeof(T)), sizeof value);
    return value;
  };
  const Four four{element(0), element(1), element(2), element(3)};
  std::memcpy(to, &four, sizeof four);
}

/// Gathers `count` contiguous elements: eight at a time if their indices are in range, otherwise one by one.
template <class T>
PTOX_INLINE void gather_run(std::byte* to, const std::byte* table, const std::byte* idx, std::int64_t count,
                            const HostMove m) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const auto last = static_cast<std::uint32_t>(std::min<std::int64_t>(m.capacity - 1, UINT32_MAX));
  for (std::int64_t i = 0; i < count;) {
    if (i + 8 <= count && m.capacity > 0 && eight_in_range(idx + i * 4, last)) [[likely]] {
      gather_four<T>(to + i * size, table, idx + i * 4);
      gather_four<T>(to + (i + 4) * size, table, idx + (i + 4) * 4);
      i += 8;
      continue;
    }
    for (const std::int64_t end = std::min(i + 8, count); i < end; ++i) {
      const T value = element_at<T>(table, load_index(idx + i * 4), m);
      std::memcpy(to + i * size, &value, sizeof value);
    }
  }
}

template <class T>
PTOX_INLINE void gather_elements_of(std::byte* tile, const std::byte* table, const std::byte* idx, const HostMove& m) {
  const std::int64_t cols = m.row_bytes / static_cast<std::int64_t>(sizeof(T));
  const bool together = m.tile_step == m.row_bytes && m.idx_step == cols * 4;
  if (together) return gather_run<T>(tile, table, idx, m.rows * cols, m);
  for (std::int64_t r = 0; r < m.rows; ++r) gather_run<T>(tile + r * m.tile_step, table, idx + r * m.idx_step, cols, m);
}
PTOX_INLINE void gather_elements(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
  switch (pto::instr::size_of(m.dtype)) {
    case 1:
      return gather_elements_of<std::uint8_t>(tile, table, idx, m);
    case 2:
      return gather_elements_of<std::uint16_t>(tile, table, idx, m);
    case 4:
      return gather_elements_of<std::uint32_t>(tile, table, idx, m);
    default:
      return gather_elements_of<std::uint64_t>(tile, table, idx, m);
  }
}

PTOX_INLINE void copy_rows(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                           std::int64_t rows, std::int64_t row_bytes) {
  for (std::int64_t r = 0; r < rows; ++r) copy_bytes(to + r * to_step, from + r * from_step, row_bytes);
}

template <class T, pto::ScatterAtomicOp op>
PTOX_INLINE void update_row(std::byte* __restrict to, const std::byte* __restrict from, std::int64_t bytes) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t at = 0; at < bytes; at += size) apply<T>(op, to + at, from + at);
}

/// The row update by `Level::template row<T, op>` for an operation and an element type known at run time.
template <class Level>
TileMoves::Update row_update(pto::ScatterAtomicOp op, pto::instr::DType d) {
  return pto::instr::with_type(d, [&]<class T>() -> TileMoves::Update {
    using enum pto::ScatterAtomicOp;
    return op == Add   ? Level::template row<T, Add>
           : op == Max ? Level::template row<T, Max>
                       : Level::template row<T, Min>;
  });
}

struct Baseline {
  template <std::int64_t dense>
  static void gather(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
    gather_rows<dense>(tile, table, idx, m);
  }
  template <std::int64_t dense>
  static void scatter(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
    scatter_rows<dense>(tile, table, idx, m);
  }
  static void elements(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
    gather_elements(tile, table, idx, m);
  }
  static void copy(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                   std::int64_t rows, std::int64_t row_bytes) {
    copy_rows(to, to_step, from, from_step, rows, row_bytes);
  }
  template <class T, pto::ScatterAtomicOp op>
  static void row(std::byte* to, const std::byte* from, std::int64_t bytes) {
    update_row<T, op>(to, from, bytes);
  }
};

#if defined(__x86_64__)

#define PTOX_AVX2 [[gnu::target("avx2")]]

struct Avx2 {
  template <std::int64_t dense>
  PTOX_AVX2 static void gather(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
    gather_rows<dense>(tile, table, idx, m);
  }
  template <std::int64_t dense>
  PTOX_AVX2 static void scatter(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
    scatter_rows<dense>(tile, table, idx, m);
  }
  PTOX_AVX2 static void elements(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
    gather_elements(tile, table, idx, m);
  }
  PTOX_AVX2 static void copy(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                             std::int64_t rows, std::int64_t row_bytes) {
    copy_rows(to, to_step, from, from_step, rows, row_bytes);
  }
  template <class T, pto::ScatterAtomicOp op>
  PTOX_AVX2 static void row(std::byte* to, const std::byte* from, std::int64_t bytes) {
    update_row<T, op>(to, from, bytes);
  }
};

#define PTOX_AVX512 [[gnu::target("avx2,avx512f")]]

/// For processors on which a gather instruction for sixteen words is faster than sixteen loads.
struct Gathering : Avx2 {
  PTOX_AVX512 static void elements(std::byte* tile, std::byte* table, const std::byte* idx, const HostMove& m) {
    const std::int64_t count = m.rows * m.row_bytes / 4;
    const bool together = m.tile_step == m.row_bytes && m.idx_step == m.row_bytes;
    const bool apart = tile <= idx || tile >= idx + 64;  // no word is written before its index is read
    if (pto::instr::size_of(m.dtype) != 4 || !together || !apart || m.capacity == 0)
      return gather_elements(tile, table, idx, m);
    // Indices of the instruction are signed.
    const __m512i last = _mm512_set1_epi32(static_cast<int>(std::min<std::int64_t>(m.capacity - 1, INT32_MAX)));
    std::int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
      const __m512i slots = _mm512_loadu_si512(idx + i * 4);
      if (_mm512_cmpgt_epu32_mask(slots, last) != 0) break;
      _mm512_storeu_si512(tile + i * 4, _mm512_mask_i32gather_epi32(slots, 0xffff, slots, table, 4));
    }
    gather_run<std::uint32_t>(tile + i * 4, table, idx + i * 4, count - i, m);
  }
};

#endif

template <class L>
constexpr TileMoves moves_of{
    .gather_rows = {L::template gather<0>, L::template gather<64>, L::template gather<128>, L::template gather<256>},
    .scatter_rows = {L::template scatter<0>, L::template scatter<64>, L::template scatter<128>,
                     L::template scatter<256>},
    .gather_elements = L::elements,
    .copy = L::copy,
    .row_update = row_update<L>};

}  // namespace

#if defined(__x86_64__)
const TileMoves& tile_moves() {
  if (level() == Level::baseline) return moves_of<Baseline>;
  return level() != Level::avx2 && caches().large_second() ? moves_of<Gathering> : moves_of<Avx2>;
}
#else
const TileMoves& tile_moves() { return moves_of<Baseline>; }
#endif

}  // namespace ptox
