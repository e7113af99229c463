// SPDX-License-Identifier: Apache-2.0
// Gathers rows by slot, with prefetching where the table is far and non-temporal stores where the output is not read
// soon. Internal to the file of each level, like vectors.hpp.
#pragma once

#include "loops/ahead.hpp"

namespace ptox {
namespace {

alignas(64) constexpr std::byte zeros[4096] = {};

/// The address of the row of a slot, or of `zeros` if the slot is past the capacity. The caller handles rows that are
/// longer than `zeros`.
PTOX_INLINE const std::byte* row_or_zeros(const std::byte* table, std::uint64_t capacity, std::uint64_t slot,
                                          std::int64_t stride) {
  const auto row = reinterpret_cast<std::uintptr_t>(table) + slot * static_cast<std::uintptr_t>(stride);
  const auto none = reinterpret_cast<std::uintptr_t>(zeros), mine = -static_cast<std::uintptr_t>(slot < capacity);
  return reinterpret_cast<const std::byte*>(none ^ ((row ^ none) & mine));  // without a branch
}
template <class Slot>
PTOX_INLINE const std::byte* row_of(const Move& m, Slot slot) {
  return row_or_zeros(m.table, m.capacity, slot, m.stride);
}

/// Compile-time variant of a gather loop. `far`: rows are prefetched; `checked`: slots past the capacity give zeros.
template <bool fetches, bool asks>
struct How {
  static constexpr bool far = fetches, checked = asks;
  template <class Slot>
  static PTOX_INLINE const std::byte* row(const Move& m, Slot slot) {
    return asks ? row_of(m, slot) : table_row(m, slot);
  }
  template <class Slot>
  static PTOX_INLINE const std::byte* element(const std::byte* table, std::uint64_t capacity, Slot slot,
                                              std::int64_t size) {
    return asks ? row_or_zeros(table, capacity, slot, size) : table + static_cast<std::int64_t>(slot) * size;
  }
};
/// Calls f with the variant for this move. 64-bit slots are always checked; with the capacity Move::unchecked every
/// slot passes.
template <class Slot, class F>
PTOX_INLINE void with_how(const Move& m, F&& f) {
  if constexpr (sizeof(Slot) == 4)
    if (m.capacity == Move::unchecked) return m.far ? f(How<true, false>{}) : f(How<false, false>{});
  return m.far ? f(How<true, true>{}) : f(How<false, true>{});
}

/// Prefetches rows [begin, end) into L2, as far as they exist. Numbers from m.count on are rows of Move::following.
template <std::int64_t known, class How, class Slot>
PTOX_INLINE void fetch_rows(const Move& m, const Ahead& ahead, std::int64_t begin, std::int64_t end) {
  if constexpr (!How::far) return;
  const Slot* slots = static_cast<const Slot*>(m.slots);
  for (std::int64_t i = begin; i < least(end, m.count); ++i) fetch<Cache::second, known>(How::row(m, slots[i]), ahead);
  fetch_following<known>(m, ahead, begin, end);
}

/// The `most_short` that gathers pass to Ahead: a row of two whole lines counts as short.
template <class Copier>
constexpr std::int64_t most_short = Copier::bytes == 2 * line ? 2 * line : line;

/// Gathers rows [begin, end) of the move into rows at `to`, `to_stride` bytes apart. noinline reduces compile time.
template <class Copier, class How, class Slot>
[[gnu::noinline]] void gather_some(const Move& move, const Ahead& fetched, std::int64_t begin, std::int64_t end,
                                   std::byte* to, std::int64_t to_stride) {
  constexpr bool twice = Copier::bytes == 0 || Copier::bytes >= line;  // shorter rows need no prefetch into L1
  const Move m = move;  // local copies: byte stores may alias the parameters
  const Ahead ahead = fetched;
  const Slot* slots = static_cast<const Slot*>(m.slots);
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t stop = least(i + ahead.batch, end);
    fetch_rows<Copier::bytes, How, Slot>(m, ahead, i + ahead.rows, stop + ahead.rows);
    for (; i < stop; ++i, to += to_stride) {
      if (i < m.asked_count) fetch_lines<Copier::bytes>(m.asked[i], m.row_bytes);
      if (How::far && twice && i + ahead.near < m.count)
        fetch<Cache::nearest, Copier::bytes>(How::row(m, slots[i + ahead.near]), ahead);
      Copier::copy(to, How::row(m, slots[i]), m.row_bytes);
    }
  }
}

/// Gathers elements [begin, end) of the move into `to`. noinline, so that all variables stay in registers.
template <class Copier, class How, class Slot>
[[gnu::noinline]] void gather_elements(const Move& m, std::int64_t begin, std::int64_t end, std::byte* to) {
  const std::int64_t size = Copier::bytes != 0 ? Copier::bytes : m.row_bytes;
  const auto* const slots = static_cast<const Slot*>(m.slots);
  std::byte* const table = m.table;
  const std::uint64_t capacity = m.capacity;
  const std::int64_t count = m.count;
  const auto from = [=](std::int64_t i) { return How::element(table, capacity, slots[i], size); };
  std::int64_t i = begin;
  if constexpr (!How::far && !How::checked && (Copier::bytes == 1 || Copier::bytes == 2))
    if (m.meanwhile)
      for (Meanwhile lines(m); i + lines.elements <= end; i += lines.elements) {
        lines.fetch();
        for (int k = 0; k < lines.elements; ++k, to += size) Copier::copy(to, from(i + k), size);
      }
  if constexpr (How::far)
    for (const std::int64_t last = least(end, count - element_ahead); i < last; ++i, to += size) {
      fetch_element<Copier::bytes>(from(i + element_ahead), size);
      Copier::copy(to, from(i), size);
    }
  for (; i < end; ++i, to += size) Copier::copy(to, from(i), size);
}

/// Gathers rows of one or two whole lines with range checks, one row at a time. Measured: this takes as long as
/// unchecked rows four at a time; checked rows take a third longer four at a time, and unchecked rows a quarter longer
/// one at a time.
template <class Copier, class How, class Slot>
[[gnu::noinline]] void gather_lines(const Move& m) {
  constexpr std::int64_t size = Copier::bytes, far = Ahead::most_rows, near = Ahead::most_near;
  const auto* const slots = static_cast<const Slot*>(m.slots);
  std::byte* const table = m.table;
  const std::uint64_t capacity = m.capacity;
  const auto row = [=](std::int64_t i) { return How::element(table, capacity, slots[i], size); };
  std::byte* to = m.data;
  std::int64_t i = 0;
  for (const std::int64_t last = m.count - far; i < last; ++i, to += size) {
    const std::byte *later = row(i + far), *soon = row(i + near);
    for (std::int64_t at = 0; at < size; at += line) __builtin_prefetch(later + at, 0, 2);
    for (std::int64_t at = 0; at < size; at += line) __builtin_prefetch(soon + at, 0, 3);
    Copier::copy(to, row(i), size);
  }
  for (; i < m.count; ++i, to += size) Copier::copy(to, row(i), size);
}

/// Calls each(i) for every i below `count`, and before it next(i) while i is below `fetched`.
template <class Next, class Each>
PTOX_INLINE void each_with_next(std::int64_t count, std::int64_t fetched, Next next, Each each) {
  std::int64_t i = 0;
  for (; i < fetched; ++i) next(i), each(i);
  for (; i < count; ++i) each(i);
}

/// Gathers the rows of a tile and prefetches one other row with each: a row that TPREFETCH requested (Move::asked) if
/// there are any, else one of Move::following.
template <class Copier>
[[gnu::noinline]] void gather_tile(const Move& m) {
  const auto* const slots = static_cast<const std::uint32_t*>(m.slots);
  const std::int64_t size = Copier::bytes != 0 ? Copier::bytes : m.row_bytes, count = m.count;
  std::byte *const table = m.table, *const data = m.data;
  const std::int64_t stride = m.stride, data_stride = m.data_stride;
  const auto row = [=](std::uint32_t slot) PTOX_INLINED { return table + std::int64_t{slot} * stride; };
  // Where DRAM latency is low, L2 latency is noticeable, and rows are also prefetched into L1.
  const std::int64_t soon = caches().large_second() ? count : 4;
  const auto copy = [=](std::int64_t i) PTOX_INLINED {
    if (i + soon < count) fetch_lines<Copier::bytes, Cache::nearest>(row(slots[i + soon]), size);
    Copier::copy(data + i * data_stride, row(slots[i]), size);
  };
  const auto fetch = [=](const std::byte* at) PTOX_INLINED { fetch_lines<Copier::bytes>(at, size); };
  if (!m.fetched)
    for (std::int64_t i = 0; i < count; ++i) fetch(row(slots[i]));
  if (m.asked_count > 0)
    return each_with_next(
        count, m.asked_count, [=, asked = m.asked](std::int64_t i) PTOX_INLINED { fetch(asked[i]); }, copy);
  each_with_next(
      count, m.following_count, [=, next = m.following](std::int64_t i) PTOX_INLINED { fetch(row(next[i])); }, copy);
}

template <class Copier, class How, class Slot>
void gather_plain(const Move& m) {
  if constexpr (How::far && !How::checked && !Copier::few && sizeof(Slot) == 4)
    if (m.tile) return gather_tile<Copier>(m);
  if constexpr (How::far && How::checked && (Copier::bytes == line || Copier::bytes == 2 * line))
    if (packed(m) && whole_lines(m.table, m.stride, m.row_bytes)) return gather_lines<Copier, How, Slot>(m);
  if constexpr (Copier::few)
    if (packed(m)) return gather_elements<Copier, How, Slot>(m, 0, m.count, m.data);
  const Ahead ahead(m, Copier::bytes, most_short<Copier>);
  if (!m.fetched) fetch_rows<Copier::bytes, How, Slot>(m, ahead, 0, ahead.rows);
  gather_some<Copier, How, Slot>(m, ahead, 0, m.count, m.data, m.data_stride);
}

using SomeRows = void (*)(const Move& m, const Ahead& ahead, std::int64_t begin, std::int64_t end, std::byte* to,
                          std::int64_t to_stride);

/// Gathers rows into contiguous data with non-temporal stores: batches of rows are collected in a buffer, which is
/// written line by line.
[[gnu::noinline]] inline void gather_by_stages(const Move& m, const Ahead& ahead, SomeRows gather) {
  const std::int64_t batch = LineWriter::room / m.row_bytes;
  LineWriter out(m.data);
  for (std::int64_t begin = 0; begin < m.count; begin += batch) {
    const std::int64_t end = least(begin + batch, m.count);
    gather(m, ahead, begin, end, out.end(), m.row_bytes);
    out.grow((end - begin) * m.row_bytes);
  }
  out.finish();
}

/// A line that consists of the rows row(0), row(1), ... of `size` bytes each.
template <std::int64_t size, class Row>
PTOX_INLINE Line line_of_rows(Row row) {
  static_assert(size == 16 || size == 32);
  const auto four = [&](int k) { return load<Words<4>>(row(k * 16 / size) + k * 16 % size); };
  return line_of(four(0), four(1), four(2), four(3));
}

/// Gathers rows of 16 or 32 bytes into contiguous data. The rows of a line are assembled in registers and written with
/// non-temporal stores.
template <class Copier, class How, class Slot>
[[gnu::noinline]] void stream_short(const Move& m) {
  constexpr std::int64_t size = Copier::bytes, together = line / size, ahead = 256;
  const auto* const slots = static_cast<const Slot*>(m.slots);
  std::byte* const table = m.table;
  const std::uint64_t capacity = m.capacity;
  const std::int64_t count = m.count;
  const auto row = [=](std::int64_t i) PTOX_INLINED { return How::element(table, capacity, slots[i], size); };
  const auto fetch = [=](std::int64_t i) PTOX_INLINED {
    const std::uint64_t slot = slots[i];  // those past the capacity prefetch row 0, as their addresses span many pages
    __builtin_prefetch(table + static_cast<std::int64_t>(How::checked && slot >= capacity ? 0 : slot) * size, 0, 2);
  };
  std::byte* to = m.data;
  std::int64_t i = 0;
  const auto one = [&] { Copier::copy(to, row(i++), size), to += size; };
  const auto some = [&] {
    stream_line(to, line_of_rows<size>([&](std::int64_t k) PTOX_INLINED { return row(i + k); }));
    to += line, i += together;
  };
  while (i < count && reinterpret_cast<std::uintptr_t>(to) % line != 0) one();
  for (std::int64_t k = i; k < least(i + ahead, count); ++k) fetch(k);
  while (i + ahead + together <= count) {
    for (std::int64_t k = 0; k < together; ++k) fetch(i + ahead + k);
    some();
  }
  for (std::int64_t k = i + ahead; k < count; ++k) fetch(k);
  while (i + together <= count) some();
  while (i < count) one();
}
/// Whether no row of up to a line crosses a cache line, in the table or in the data.
inline bool in_one_line_each(const Move& m) {
  const auto addresses = reinterpret_cast<std::uintptr_t>(m.table) | reinterpret_cast<std::uintptr_t>(m.data);
  return packed(m) && static_cast<std::int64_t>(addresses) % m.row_bytes == 0;
}

template <class Copier, class How, class Slot>
void gather_staged(const Move& m) {
  if constexpr (How::far && (Copier::bytes == 16 || Copier::bytes == 32))
    if (in_one_line_each(m)) return stream_short<Copier, How, Slot>(m);
  const Ahead ahead(m, Copier::bytes, most_short<Copier>);
  if constexpr (Copier::few)
    if (packed(m))
      return gather_by_stages(m, ahead,
                              [](const Move& move, const Ahead&, std::int64_t begin, std::int64_t end, std::byte* to,
                                 std::int64_t) { gather_elements<Copier, How, Slot>(move, begin, end, to); });
  fetch_rows<Copier::bytes, How, Slot>(m, ahead, 0, ahead.rows);
  gather_by_stages(m, ahead, gather_some<Copier, How, Slot>);
}

/// Gathers rows that are longer than `zeros`; the next row is prefetched while one is copied.
template <class Slot>
void gather_long(const Move& m) {
  const Slot* slots = static_cast<const Slot*>(m.slots);
  const Ahead ahead(m);
  for (std::int64_t i = 0; i < m.count; ++i) {
    std::byte* to = m.data + i * m.data_stride;
    if (m.far && i + 1 < m.count && slots[i + 1] < m.capacity) fetch<Cache::second, 0>(row_of(m, slots[i + 1]), ahead);
    if (slots[i] < m.capacity)
      copy_bytes(to, row_of(m, slots[i]), m.row_bytes, m.stream);
    else
      __builtin_memset(to, 0, static_cast<std::size_t>(m.row_bytes));
  }
}

PTOX_INLINE std::uint32_t word_at(const std::byte* table, std::uint32_t slot) {
  return load<std::uint32_t>(table + std::int64_t{slot} * 4);
}

/// Loads sixteen words of the table into registers; `near`: with gather instructions. The slots are prefetched 512
/// ahead, because the hardware prefetcher is late while L2 is busy.
template <bool near>
PTOX_INLINE Line gather_line(const std::byte* table, const std::uint32_t* slots) {
  __builtin_prefetch(slots + 512);
#if defined(__AVX512F__)
  if constexpr (near) return {{as<Bytes>(_mm512_i32gather_epi32(_mm512_loadu_si512(slots), table, 4))}};
#elif defined(__AVX2__)
  const auto eight = [&](int i) {
    return as<Bytes>(_mm256_i32gather_epi32(reinterpret_cast<const int*>(table), load<__m256i>(slots + i), 4));
  };
  if constexpr (near) return {{eight(0), eight(8)}};
#endif
  const auto four = [&](int i) {
    return Words<4>{word_at(table, slots[i]), word_at(table, slots[i + 1]), word_at(table, slots[i + 2]),
                    word_at(table, slots[i + 3])};
  };
  return line_of(four(0), four(4), four(8), four(12));
}

/// Gathers words into contiguous data and writes whole lines with non-temporal stores.
template <bool near>
[[gnu::noinline]] void stream_words(const std::byte* table, const std::uint32_t* slots, std::int64_t count,
                                    std::byte* to) {
  std::byte* const end = to + count * 4;
  const auto one = [&] { store(to, word_at(table, *slots++)), to += 4; };
  while (to < end && reinterpret_cast<std::uintptr_t>(to) % line != 0) one();
  for (; end - to >= line; to += line, slots += 16) stream_line(to, gather_line<near>(table, slots));
  while (to < end) one();
}

/// Gathers words into contiguous data, two words per store.
[[gnu::noinline]] inline void gather_words(const std::byte* table, const std::uint32_t* slots, std::int64_t count,
                                           std::byte* to) {
  const auto two = [&](std::int64_t i) {
    return std::uint64_t{word_at(table, slots[i])} | std::uint64_t{word_at(table, slots[i + 1])} << 32;
  };
  std::int64_t i = 0;
#if defined(__AVX512F__)
  if (caches().large_second())  // on these machines a gather instruction is faster than sixteen loads
    for (; i + 16 <= count; i += 16) {
      const __m512i some = _mm512_loadu_si512(slots + i);
      if (_mm512_movepi32_mask(some) != 0) break;  // indices of the instruction are signed
      store(to + i * 4, _mm512_i32gather_epi32(some, table, 4));
    }
#endif
  for (; i + 4 <= count; i += 4) store(to + i * 4, two(i)), store(to + i * 4 + 8, two(i + 2));
  for (; i < count; ++i) store(to + i * 4, word_at(table, slots[i]));
}
/// The same while Move::meanwhile is prefetched; the data may be the memory of the slots.
[[gnu::noinline]] inline void gather_meanwhile(const Move& m) {
  const auto* slots = static_cast<const std::uint32_t*>(m.slots);
  const std::byte* const table = m.table;
  std::byte* const to = m.data;
  const std::int64_t count = m.count;
  Meanwhile lines(m);
  std::int64_t i = 0;
  const auto four = [&](std::int64_t k) PTOX_INLINED {
    store(to + k * 4, Words<4>{word_at(table, slots[k]), word_at(table, slots[k + 1]), word_at(table, slots[k + 2]),
                               word_at(table, slots[k + 3])});
  };
  for (; i + lines.elements <= count; i += lines.elements) {
    lines.fetch();
    __builtin_prefetch(slots + i + 128);
    four(i), four(i + 4);
  }
  for (; i < count; ++i) store(to + i * 4, word_at(table, slots[i]));
}

/// Gathers contiguous words by valid 32-bit slots without prefetching the table: it is near, or few places of it are
/// accessed. Returns false for other moves.
template <class Slot>
PTOX_INLINE bool gather_near(const Move& m) {
  if constexpr (sizeof(Slot) == 4) {
    const auto* slots = static_cast<const Slot*>(m.slots);
    if (m.row_bytes != 4 || !packed(m) || m.far || m.capacity != Move::unchecked) return false;
    if (m.meanwhile) return gather_meanwhile(m), true;
    if (!m.stream || reinterpret_cast<std::uintptr_t>(m.data) % 4 != 0)
      return gather_words(m.table, slots, m.count, m.data), true;
    m.near ? stream_words<true>(m.table, slots, m.count, m.data) : stream_words<false>(m.table, slots, m.count, m.data);
    return true;
  }
  return false;
}

template <class Slot>
void gather(const Move& m) {
  if (m.row_bytes > static_cast<std::int64_t>(sizeof zeros)) return gather_long<Slot>(m);
  if (gather_near<Slot>(m)) return;
  with_how<Slot>(m, [&]<class H>(H) {
    if (m.stream && whole_lines(m.data, m.data_stride, m.row_bytes))
      return with_streamed(m.row_bytes, [&]<class Copier>(Copier) { gather_plain<Copier, H, Slot>(m); });
    with_copier(m.row_bytes, [&]<class Copier>(Copier) {
      m.stream&& m.data_stride == m.row_bytes ? gather_staged<Copier, H, Slot>(m) : gather_plain<Copier, H, Slot>(m);
    });
  });
}

}  // namespace
}  // namespace ptox
