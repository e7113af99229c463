// SPDX-License-Identifier: Apache-2.0
// Scatters rows by slot, with prefetching where rows are read or share a line, and non-temporal stores for whole lines
// of a far table. Internal to the file of each level, like vectors.hpp.
#pragma once

#include "loops/ahead.hpp"

namespace ptox {
namespace {

/// Row i of the move's data.
PTOX_INLINE std::byte* data_row(const Move& m, std::int64_t i) {
  return m.data + (m.positions ? static_cast<std::int64_t>(m.positions[i]) : i) * m.data_stride;
}

/// Prefetches what row i needs: its row of the table if that is far, and its row of the data if those are not in order.
template <Cache cache, std::int64_t known, class Slot>
PTOX_INLINE void fetch_target(const Move& m, const Ahead& ahead, std::int64_t i) {
  if (m.far) fetch<cache, known>(table_row(m, static_cast<const Slot*>(m.slots)[i]), ahead);
  if (m.positions) fetch<cache, known>(data_row(m, i), ahead);
}
template <std::int64_t known, class Slot>
PTOX_INLINE void fetch_targets(const Move& m, const Ahead& ahead, std::int64_t begin, std::int64_t end) {
  if (!m.far && !m.positions) return;
  for (std::int64_t i = begin; i < least(end, m.count); ++i) fetch_target<Cache::second, known, Slot>(m, ahead, i);
  if (m.far) fetch_following<known>(m, ahead, begin, end);
}

/// The value of Move::far for which a loop is compiled; `anywhere`: it is read at run time.
enum class Table { near, far, anywhere };

/// Calls place(address of the table row, address of the data row) for each row in the order of the indices, and
/// prefetches table rows as the gather loops do.
template <std::int64_t known, class Slot, class Place>
PTOX_INLINE void each_row(const Move& m, Place place) {
  constexpr bool twice = known == 0 || known >= line;
  const Slot* slots = static_cast<const Slot*>(m.slots);
  const Ahead ahead(m, 0, line, Ahead::write_bytes);
  if (!m.fetched) fetch_targets<known, Slot>(m, ahead, 0, ahead.rows);
  for (std::int64_t i = 0; i < m.count;) {
    const std::int64_t end = least(i + ahead.batch, m.count);
    fetch_targets<known, Slot>(m, ahead, i + ahead.rows, end + ahead.rows);
    for (; i < end; ++i) {
      if (twice && (m.far || m.positions) && i + ahead.near < m.count)
        fetch_target<Cache::nearest, known, Slot>(m, ahead, i + ahead.near);
      if (twice && m.far && !m.positions) fetch<Cache::second, known>(m.data + (i + ahead.data) * m.data_stride, ahead);
      if (m.next) fetch<Cache::second, known>(m.next + i * m.row_bytes, ahead);
      place(table_row(m, slots[i]), data_row(m, i));
    }
  }
}

/// The same for contiguous elements. noinline, so that all variables stay in registers.
template <std::int64_t known, bool far, bool placed, class Slot, class Place>
[[gnu::noinline]] void each_element(const Move& m, Place place) {
  const std::int64_t size = known != 0 ? known : m.row_bytes;
  const auto* const slots = static_cast<const Slot*>(m.slots);
  std::byte *const table = m.table, *const data = m.data;
  const std::uint32_t* const positions = m.positions;
  const std::int64_t count = m.count;
  const auto to = [=](std::int64_t i) { return table + static_cast<std::int64_t>(slots[i]) * size; };
  const auto from = [=](std::int64_t i) { return data + (placed ? positions[i] : i) * size; };
  std::int64_t i = 0;
  if constexpr (far)
    for (; i + element_ahead < count; ++i) {
      fetch_element<known>(to(i + element_ahead), size);
      place(to(i), from(i));
    }
#pragma GCC unroll 4
  for (; i < count; ++i) place(to(i), from(i));
}

/// The same for pairs (Move::paired) with elements of `size` bytes; Move::meanwhile is prefetched meanwhile.
template <std::int64_t size, class Place>
[[gnu::noinline]] void each_pair(const Move& m, Place place) {
  std::byte* const table = m.table;
  const auto* at = static_cast<const std::byte*>(m.slots);
  const auto one = [&] {
    place(table + std::int64_t{load<std::uint32_t>(at)} * size, at + 4);
    at += 8;
  };
  Meanwhile lines(m);
  std::int64_t left = m.count;
  for (; left >= lines.elements; left -= lines.elements) {
    lines.fetch();
    __builtin_prefetch(at + 512);
#pragma GCC unroll 8
    for (int k = 0; k < lines.elements; ++k) one();
  }
  for (; left > 0; --left) one();
}

/// The one or two slots to which all elements of a scatter seem to go.
template <class Slot>
struct FewPlaces {
  Slot one, other;
  bool all;  ///< the samples go to these slots; false: the other fields have no meaning
};
template <class Slot>
FewPlaces<Slot> few_places(const Move& m) {
  constexpr std::int64_t looks = 8;
  if (m.count < looks) return {};
  const Slot* slots = static_cast<const Slot*>(m.slots);
  const Slot one = slots[0];
  Slot other = one;
  for (std::int64_t i = 1; i < looks; ++i) {
    const Slot slot = slots[m.count * i / looks];
    if (slot == one || slot == other) continue;
    if (other != one) return {};
    other = slot;
  }
  return {one, other, true};
}
/// Whether all elements seem to go to one or two slots, which need no prefetching.
template <class Slot>
bool to_few_places(const Move& m) {
  return few_places<Slot>(m).all;
}

/// Whether this many vectors of slots contain no other slots than those of `few`.
template <int vectors, class Slot>
PTOX_INLINE bool all_there(const Slot* slots, const FewPlaces<Slot>& few) {
  using V = Vector<Slot, vector_bytes / sizeof(Slot)>;
  auto other = load<V>(slots) != load<V>(slots);
  for (int k = 0; k < vectors; ++k) {
    const V v = load<V>(slots + k * (vector_bytes / static_cast<int>(sizeof(Slot))));
    other |= (v != few.one) & (v != few.other);
  }
  const auto words = as<Vector<std::uint64_t, vector_bytes / 8>>(other);
  std::uint64_t any = 0;
  for (int k = 0; k < vector_bytes / 8; ++k) any |= words[k];
  return any == 0;
}

/// Calls place(i) for the elements of a plain scatter and omits those that are certainly overwritten: of a run of
/// elements that go to the slots of `few` only the last one for each slot is written.
template <class Slot, class Place>
PTOX_INLINE void each_that_stays(const Slot* slots, std::int64_t count, const FewPlaces<Slot>& few, Place place) {
  constexpr int vectors = 4;
  constexpr std::int64_t step = vectors * vector_bytes / sizeof(Slot);
  std::int64_t run = 0, i = 0;
  const auto place_last = [&](Slot slot) {
    for (std::int64_t k = i; k > run; --k)
      if (slots[k - 1] == slot) return place(k - 1);
  };
  while (i < count) {
    if (i + step <= count && all_there<vectors>(slots + i, few)) {
      i += step;
      continue;
    }
    place_last(few.one), place_last(few.other);
    for (const std::int64_t end = least(i + step, count); i < end; ++i) place(i);
    run = i;
  }
  place_last(few.one), place_last(few.other);
}

/// Calls place(table element, data element) for contiguous elements or rows of a few bytes.
template <std::int64_t known, bool far, class Slot, class Place>
PTOX_INLINE void each_packed(const Move& m, Place place) {
  m.positions ? each_element<known, far, true, Slot>(m, place) : each_element<known, far, false, Slot>(m, place);
}
template <std::int64_t known, class Slot, class Place>
PTOX_INLINE void each_packed(const Move& m, Place place) {
  if constexpr (sizeof(Slot) == 4 && (known == 1 || known == 2 || known == 4))
    if (m.paired) return each_pair<known>(m, place);
  m.far && !to_few_places<Slot>(m) ? each_packed<known, true, Slot>(m, place)
                                   : each_packed<known, false, Slot>(m, place);
}

template <std::int64_t known, class Slot, Table table = Table::anywhere, class Place>
PTOX_INLINE void each_target(const Move& move, Place place) {
  Move m = move;  // local copy: byte stores may alias `move`
  if (table != Table::anywhere) m.far = table == Table::far;
  each_row<known, Slot>(m, place);
}

template <std::int64_t known, class Slot, class Place>
PTOX_INLINE void scatter_packed(const Move& m, Place place) {
  if (m.paired || m.positions) return each_packed<known, Slot>(m, place);
  const FewPlaces<Slot> few = few_places<Slot>(m);
  if (!few.all) return each_packed<known, Slot>(m, place);
  const auto* const slots = static_cast<const Slot*>(m.slots);
  each_that_stays(slots, m.count, few, [=, table = m.table, data = m.data, n = m.row_bytes](std::int64_t i) {
    place(table + static_cast<std::int64_t>(slots[i]) * n, data + i * n);
  });
}

template <class Copier, class Slot>
void scatter_with(const Move& m) {
  const auto place = [n = m.row_bytes](std::byte* to, const std::byte* from) { Copier::copy(to, from, n); };
  if constexpr (Copier::few)
    if (packed(m) || m.paired) return scatter_packed<Copier::bytes, Slot>(m, place);
  each_target<Copier::bytes, Slot>(m, place);
}

/// Scatters whole lines with non-temporal stores, and with each prefetches a line of `next`, which is read later.
template <class Slot>
void scatter_between(const Move& m, const std::byte* next) {
  Move rows = m;
  rows.next = nullptr;
  with_streamed(m.row_bytes, [&]<class Copier>(Copier) {
    each_target<Copier::bytes, Slot, Table::near>(rows, [n = m.row_bytes, &next](std::byte* to, const std::byte* from) {
      const std::int64_t end = Copier::bytes != 0 ? Copier::bytes : n;
      for (std::int64_t i = 0; i < end; i += line) {
        __builtin_prefetch(next + i, 0, 2);
        stream_line(to + i, load_line(from + i));
      }
      next += end;
    });
  });
}

/// Scatters rows with non-temporal stores. Lines that are overwritten as a whole are not prefetched; the partial lines
/// at both ends of unaligned rows are.
template <class Slot>
void scatter_streamed(const Move& m) {
  const bool whole = whole_lines(m.table, m.stride, m.row_bytes);
  if (whole && m.next) return scatter_between<Slot>(m, m.next);
  // Measured: where DRAM latency is low, long rows are faster with the hardware prefetcher alone.
  const bool in_order = !m.positions && m.data_stride == m.row_bytes;
  if (whole && in_order && (caches().large_second() || m.row_bytes < 1024))
    return scatter_between<Slot>(m, m.data + 4096);
  if (whole)
    return with_streamed(m.row_bytes, [&]<class Copier>(Copier) {
      each_target<Copier::bytes, Slot, Table::near>(
          m, [n = m.row_bytes](std::byte* to, const std::byte* from) { Copier::copy(to, from, n); });
    });
  constexpr std::int64_t rows_ahead = 8;
  const auto* slot = static_cast<const Slot*>(m.slots);
  const Slot* const last = slot + m.count - 1;
  each_target<0, Slot, Table::near>(m, [&m, slot, last, n = m.row_bytes](std::byte* to, const std::byte* from) mutable {
    const std::byte* row = table_row(m, last - slot > rows_ahead ? slot[rows_ahead] : *last);
    __builtin_prefetch(row, 1, 3), __builtin_prefetch(row + n - 1, 1, 3);
    copy_bytes(to, from, n, true);
    ++slot;
  });
}

template <class Slot>
void scatter(const Move& m) {
  if (m.stream && (m.row_bytes >= 4 * line || whole_lines(m.table, m.stride, m.row_bytes)))
    return scatter_streamed<Slot>(m);
  with_copier(m.row_bytes, [&]<class Copier>(Copier) { scatter_with<Copier, Slot>(m); });
}

}  // namespace
}  // namespace ptox
