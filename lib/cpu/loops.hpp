// SPDX-License-Identifier: Apache-2.0
// How are rows copied by slot? Fetched ahead where the table is far, written past the caches where nobody reads soon.
// Internal to the file of each level, as vectors.hpp is.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/vectors.hpp"

namespace ptox {
namespace {

constexpr std::int64_t line = 64;

/// How rows are copied. `bytes` is their width where it is known here, else 0.
template <std::int64_t n>
struct Exactly {
  static constexpr std::int64_t bytes = n;
  static PTOX_INLINE void copy(std::byte* to, const std::byte* from, std::int64_t) {
    if constexpr (n > vector_bytes)  // spelled out, for a library's memcpy may be slow
      for (std::int64_t i = 0; i < n; i += vector_bytes) store(to + i, load<Bytes>(from + i));
    else
      __builtin_memcpy(to, from, n);
  }
};
/// From `piece` to twice `piece` bytes: two moves that overlap.
template <std::int64_t piece>
struct Twice {
  static constexpr std::int64_t bytes = 0;
  static PTOX_INLINE void copy(std::byte* to, const std::byte* from, std::int64_t n) {
    struct Piece {
      std::byte bytes[piece];
    };
    const Piece first = load<Piece>(from), last = load<Piece>(from + n - piece);
    store(to, first), store(to + n - piece, last);
  }
};
/// A vector and more.
struct Many {
  static constexpr std::int64_t bytes = 0;
  static PTOX_INLINE void copy(std::byte* to, const std::byte* from, std::int64_t n) {
    const Bytes last = load<Bytes>(from + n - vector_bytes);
    std::byte* const last_to = to + n - vector_bytes;
    if (n >= 4 * line) {  // a store across two lines is two
      const std::int64_t head =
          vector_bytes - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % vector_bytes);
      store(to, load<Bytes>(from));
      to += head, from += head;
    }
    for (; to < last_to; to += vector_bytes, from += vector_bytes) store(to, load<Bytes>(from));
    store(last_to, last);
  }
};
/// Whole lines to an aligned place, past the caches.
template <std::int64_t n>
struct Streamed {
  static constexpr std::int64_t bytes = n;
  static PTOX_INLINE void copy(std::byte* to, const std::byte* from, std::int64_t any) {
    const std::int64_t end = n != 0 ? n : any;
    for (std::int64_t i = 0; i < end; i += line) stream_line(to + i, from + i);
  }
};

/// Calls f with the copier for that width.
template <class F>
PTOX_INLINE void with_copier(std::int64_t n, F&& f) {
  switch (n) {
    case 1:
      return f(Exactly<1>{});
    case 2:
      return f(Exactly<2>{});
    case 3:
      return f(Exactly<3>{});
    case 4:
      return f(Exactly<4>{});
    case 8:
      return f(Exactly<8>{});
    case 16:
      return f(Exactly<16>{});
    case 32:
      return f(Exactly<32>{});
    case 64:
      return f(Exactly<64>{});
    case 128:
      return f(Exactly<128>{});
    case 256:
      return f(Exactly<256>{});
    case 512:
      return f(Exactly<512>{});
    default:
      break;
  }
  if (n < 8) return f(Twice<4>{});
  if (n < 16) return f(Twice<8>{});
  if (n < 32) return f(Twice<16>{});
  if (n < 64) return f(Twice<32>{});
  return f(Many{});
}
/// The same for whole lines that go past the caches.
template <class F>
PTOX_INLINE void with_streamed(std::int64_t n, F&& f) {
  switch (n) {
    case 64:
      return f(Streamed<64>{});
    case 128:
      return f(Streamed<128>{});
    case 256:
      return f(Streamed<256>{});
    case 512:
      return f(Streamed<512>{});
    case 1024:
      return f(Streamed<1024>{});
    default:
      return f(Streamed<0>{});
  }
}

/// How rows are fetched before their turn: a batch at a time into the second cache, of which more can be under way,
/// while the batch before it is copied; and a few rows ahead into the nearest.
struct Ahead {
  std::int64_t batch, near, bytes;
  bool split;  ///< a row may begin inside a line and end in one more

  explicit Ahead(const Move& m)
      : batch(bounded(batch_bytes / m.row_bytes, 2, m.row_bytes <= line / 2 ? 128 : 64)),
        near(bounded(near_bytes / m.row_bytes, 1, 8)),
        bytes(bounded(m.row_bytes, 1, most)),
        split(!whole(m)) {}

 private:
  static constexpr std::int64_t batch_bytes = 32768, near_bytes = 4096;
  static constexpr std::int64_t most = 4096;  ///< of a long row; the rest is fetched by the hardware
  static constexpr std::int64_t bounded(std::int64_t n, std::int64_t low, std::int64_t high) {
    return n < low ? low : n > high ? high : n;
  }
  static bool whole(const Move& m) {
    const std::int64_t unit = m.row_bytes < line ? m.row_bytes : line;
    const bool power = (unit & (unit - 1)) == 0;
    return power && static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(m.table)) % unit == 0 &&
           m.stride % unit == 0;
  }
};

/// Into the nearest cache, or into the one behind it.
enum class Cache { nearest, second };

// Spelled out, for g++ 12 takes a function that only fetches for one that does nothing.
template <Cache cache, std::int64_t known>
PTOX_INLINE void fetch(const std::byte* row, const Ahead& ahead) {
  constexpr int how = cache == Cache::nearest ? 3 : 2;
  const std::int64_t bytes = known != 0 ? known : ahead.bytes;
  std::int64_t i = 0;
  for (; i + 4 * line <= bytes; i += 4 * line) {
    __builtin_prefetch(row + i, 0, how), __builtin_prefetch(row + i + line, 0, how);
    __builtin_prefetch(row + i + 2 * line, 0, how), __builtin_prefetch(row + i + 3 * line, 0, how);
  }
  for (; i < bytes; i += line) __builtin_prefetch(row + i, 0, how);
  if (ahead.split) __builtin_prefetch(row + ahead.bytes - 1, 0, how);
}

PTOX_INLINE std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

alignas(64) constexpr std::byte zeros[4096] = {};

/// The row of a slot, or zeros; rows longer than the zeros at hand are for the caller to ask about.
PTOX_INLINE const std::byte* row_or_zeros(const std::byte* table, std::uint64_t capacity, std::uint64_t slot,
                                          std::int64_t stride) {
  const auto row = reinterpret_cast<std::uintptr_t>(table) + slot * static_cast<std::uintptr_t>(stride);
  const auto none = reinterpret_cast<std::uintptr_t>(zeros), mine = -static_cast<std::uintptr_t>(slot < capacity);
  return reinterpret_cast<const std::byte*>(none ^ ((row ^ none) & mine));  // never a branch
}
template <class Slot>
PTOX_INLINE const std::byte* row_of(const Move& m, Slot slot) {
  return row_or_zeros(m.table, m.capacity, slot, m.stride);
}

template <class Slot>
PTOX_INLINE std::byte* table_row(const Move& m, Slot slot) {
  return m.table + static_cast<std::int64_t>(slot) * m.stride;
}

/// How a gather goes: fetching ahead, and asking whether slots are in range.
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
template <class F>
PTOX_INLINE void with_how(const Move& m, F&& f) {
  if (m.capacity == Move::unchecked) return m.far ? f(How<true, false>{}) : f(How<false, false>{});
  return m.far ? f(How<true, true>{}) : f(How<false, true>{});
}

/// Fetches rows [begin, end), as far as there are any.
template <std::int64_t known, class How, class Slot>
PTOX_INLINE void fetch_rows(const Move& m, const Ahead& ahead, std::int64_t begin, std::int64_t end) {
  const Slot* slots = static_cast<const Slot*>(m.slots);
  if constexpr (How::far)
    for (std::int64_t i = begin; i < least(end, m.count); ++i)
      fetch<Cache::second, known>(How::row(m, slots[i]), ahead);
}

/// Rows [begin, end) of the move, at most a batch, to `to` and on.
template <class Copier, class How, class Slot>
PTOX_INLINE void gather_batch(const Move& move, const Ahead ahead, std::int64_t begin, std::int64_t end, std::byte* to,
                              std::int64_t to_stride) {
  constexpr bool twice = Copier::bytes == 0 || Copier::bytes > line;  // shorter ones do well from the second cache
  const Move m = move;  // a copy, for what is written could else be taken for it
  const Slot* slots = static_cast<const Slot*>(m.slots);
  fetch_rows<Copier::bytes, How, Slot>(m, ahead, begin + ahead.batch, end + ahead.batch);
  for (std::int64_t i = begin; i < end; ++i, to += to_stride) {
    if (How::far && twice && i + ahead.near < m.count)
      fetch<Cache::nearest, Copier::bytes>(How::row(m, slots[i + ahead.near]), ahead);
    Copier::copy(to, How::row(m, slots[i]), m.row_bytes);
  }
}

/// Collects bytes for consecutive addresses and writes them line by line past the caches.
class LineWriter {
 public:
  static constexpr std::int64_t room = 4096;

  explicit LineWriter(std::byte* to)
      : lead_(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % line)), fill_(lead_), to_(to - lead_) {}
  std::byte* end() {
    std::byte* end = stage_ + fill_;
    asm("" : "+r"(end));  // g++ 12 would take what is put there for aligned as the stage is
    return end;
  }
  /// So many bytes more were put at end(): at most `room`.
  void grow(std::int64_t bytes) {
    fill_ += bytes;
    if (fill_ >= room) flush();
  }
  /// The last bytes, which fill no line.
  void finish() {
    flush();
    __builtin_memcpy(to_ + lead_, stage_ + lead_, static_cast<std::size_t>(fill_ - lead_));
  }

 private:
  void flush() {
    if (fill_ < line) return;
    std::int64_t at = 0;
    if (lead_ != 0) {  // the line's beginning is somebody else's
      __builtin_memcpy(to_ + lead_, stage_ + lead_, static_cast<std::size_t>(line - lead_));
      lead_ = 0, at = line;
    }
    for (; at + line <= fill_; at += line) stream_line(to_ + at, stage_ + at);
    to_ += at, fill_ -= at;
    __builtin_memcpy(stage_, stage_ + at, line);
  }

  std::int64_t lead_, fill_;
  std::byte* to_;
  alignas(64) std::byte stage_[2 * room + 2 * line];
};

/// Elements are too many for batches: each one is fetched a fixed number of elements before its turn.
constexpr std::int64_t element_ahead = 96;

/// As many words as fill vectors, from a table that is near, or from few places; returns how many.
PTOX_INLINE std::int64_t gather_words(const Move& m, const std::uint32_t* slots, std::int64_t count, std::byte* to) {
  const auto word = [&](std::int64_t i) { return load<std::uint32_t>(m.table + std::int64_t{slots[i]} * 4); };
  std::int64_t i = 0;
#if defined(__AVX512F__)
  if (m.near)
    for (; i + 16 <= count; i += 16)
      _mm512_storeu_si512(to + i * 4, _mm512_i32gather_epi32(_mm512_loadu_si512(slots + i), m.table, 4));
#elif defined(__AVX2__)
  if (m.near)
    for (; i + 8 <= count; i += 8)
      store(to + i * 4, _mm256_i32gather_epi32(reinterpret_cast<const int*>(m.table), load<__m256i>(slots + i), 4));
#endif
  for (; i + 4 <= count; i += 4) store(to + i * 4, Words<4>{word(i), word(i + 1), word(i + 2), word(i + 3)});
  return i;
}

/// A function of its own, so that all it needs is in registers.
template <class Copier, class How, class Slot>
[[gnu::noinline]] void gather_elements(const Move& m, std::int64_t begin, std::int64_t end, std::byte* to) {
  constexpr std::int64_t size = Copier::bytes;
  const auto* const slots = static_cast<const Slot*>(m.slots);
  std::byte* const table = m.table;
  const std::uint64_t capacity = m.capacity;
  const std::int64_t count = m.count;
  const auto from = [=](std::int64_t i) { return How::element(table, capacity, slots[i], size); };
  std::int64_t i = begin;
  if constexpr (How::far)
    for (const std::int64_t last = least(end, count - element_ahead); i < last; ++i, to += size) {
      __builtin_prefetch(from(i + element_ahead), 0, 2);
      Copier::copy(to, from(i), 0);
    }
  if constexpr (size == 4 && sizeof(Slot) == 4 && !How::far && !How::checked) {
    const std::int64_t done = gather_words(m, slots + i, end - i, to);
    i += done, to += done * size;
  }
  for (; i < end; ++i, to += size) Copier::copy(to, from(i), 0);
}

template <class Copier>
constexpr bool is_element = Copier::bytes > 0 && Copier::bytes <= 8;
/// Rows side by side, in the table and in the data.
inline bool packed(const Move& m) { return m.stride == m.row_bytes && m.data_stride == m.row_bytes; }

template <class Copier, class How, class Slot>
void gather_plain(const Move& m) {
  if constexpr (is_element<Copier>)
    if (packed(m)) return gather_elements<Copier, How, Slot>(m, 0, m.count, m.data);
  const Ahead ahead(m);
  fetch_rows<Copier::bytes, How, Slot>(m, ahead, 0, ahead.batch);
  for (std::int64_t i = 0; i < m.count; i += ahead.batch)
    gather_batch<Copier, How, Slot>(m, ahead, i, least(i + ahead.batch, m.count), m.data + i * m.data_stride,
                                    m.data_stride);
}

/// Calls gather(begin, end, where to) for runs of at most `batch` rows that are then written line by line.
template <class Gather>
PTOX_INLINE void each_stage(const Move& m, std::int64_t batch, Gather&& gather) {
  LineWriter out(m.data);
  for (std::int64_t begin = 0; begin < m.count; begin += batch) {
    const std::int64_t end = least(begin + batch, m.count);
    gather(begin, end, out.end());
    out.grow((end - begin) * m.row_bytes);
  }
  out.finish();
}

/// Rows whose places are side by side: as many as make up some lines are put together first.
template <class Copier, class How, class Slot>
void gather_staged(const Move& m) {
  const std::int64_t most = LineWriter::room / m.row_bytes;
  if constexpr (is_element<Copier>)
    if (packed(m))
      return each_stage(m, most, [&](std::int64_t begin, std::int64_t end, std::byte* to) {
        gather_elements<Copier, How, Slot>(m, begin, end, to);
      });
  const Ahead ahead(m);
  fetch_rows<Copier::bytes, How, Slot>(m, ahead, 0, ahead.batch);
  each_stage(m, least(ahead.batch, most), [&](std::int64_t begin, std::int64_t end, std::byte* to) {
    gather_batch<Copier, How, Slot>(m, ahead, begin, end, to, m.row_bytes);
  });
}

inline void copy_cached(std::byte* to, const std::byte* from, std::int64_t n) {
  with_copier(n, [&](auto copier) { copier.copy(to, from, n); });
}
/// Copies any number of bytes; streamed, the whole lines in it go past the caches, and no line goes both ways.
inline void copy_bytes(std::byte* to, const std::byte* from, std::int64_t n, bool stream) {
  if (!stream || n < 4 * line) return copy_cached(to, from, n);
  const std::int64_t head = -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) & (line - 1);
  const std::int64_t whole = (n - head) / line * line, tail = n - head - whole;
  if (head != 0) copy_cached(to, from, head);
  Streamed<0>::copy(to + head, from + head, whole);
  if (tail != 0) copy_cached(to + head + whole, from + head + whole, tail);
}

/// Rows of many lines: the next one is fetched while one is copied.
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

/// Whether rows of data begin with a line and are whole lines.
inline bool whole_lines(const std::byte* data, std::int64_t stride, std::int64_t row_bytes) {
  return (static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) | stride | row_bytes) % line == 0;
}

template <class Slot>
void gather(const Move& m) {
  if (m.row_bytes > static_cast<std::int64_t>(sizeof zeros)) return gather_long<Slot>(m);
  with_how(m, [&]<class H>(H) {
    if (m.stream && whole_lines(m.data, m.data_stride, m.row_bytes))
      return with_streamed(m.row_bytes, [&]<class Copier>(Copier) { gather_plain<Copier, H, Slot>(m); });
    with_copier(m.row_bytes, [&]<class Copier>(Copier) {
      m.stream&& m.data_stride == m.row_bytes ? gather_staged<Copier, H, Slot>(m) : gather_plain<Copier, H, Slot>(m);
    });
  });
}

/// Row i of the move's data.
PTOX_INLINE std::byte* data_row(const Move& m, std::int64_t i) {
  return m.data + (m.positions ? static_cast<std::int64_t>(m.positions[i]) : i) * m.data_stride;
}

/// Fetches what row i needs: the table's, if that is far, and the data's where it is taken from here and there.
template <Cache cache, std::int64_t known, bool far, class Slot>
PTOX_INLINE void fetch_target(const Move& m, const Ahead& ahead, std::int64_t i) {
  if constexpr (far) fetch<cache, known>(table_row(m, static_cast<const Slot*>(m.slots)[i]), ahead);
  if (m.positions) fetch<cache, known>(data_row(m, i), ahead);
}
template <std::int64_t known, bool far, class Slot>
PTOX_INLINE void fetch_targets(const Move& m, const Ahead& ahead, std::int64_t begin) {
  if (!far && !m.positions) return;
  const std::int64_t end = least(begin + ahead.batch, m.count);
  for (std::int64_t i = begin; i < end; ++i) fetch_target<Cache::second, known, far, Slot>(m, ahead, i);
}

/// Calls place(table row, data row) for each row, in order, rows being fetched as for a gather.
template <std::int64_t known, bool far, class Slot, class Place>
PTOX_INLINE void each_row(const Move& m, Place place) {
  constexpr bool twice = known == 0 || known > line;
  const Slot* slots = static_cast<const Slot*>(m.slots);
  const Ahead ahead(m);
  fetch_targets<known, far, Slot>(m, ahead, 0);
  for (std::int64_t begin = 0; begin < m.count; begin += ahead.batch) {
    const std::int64_t end = least(begin + ahead.batch, m.count);
    fetch_targets<known, far, Slot>(m, ahead, end);
    for (std::int64_t i = begin; i < end; ++i) {
      if (twice && (far || m.positions) && i + ahead.near < m.count)
        fetch_target<Cache::nearest, known, far, Slot>(m, ahead, i + ahead.near);
      if (m.next) fetch<Cache::second, known>(m.next + i * m.row_bytes, ahead);
      place(table_row(m, slots[i]), data_row(m, i));
    }
  }
}

/// The same for elements side by side. A function of its own, so that all it needs is in registers.
template <std::int64_t size, bool far, bool placed, class Slot, class Place>
[[gnu::noinline]] void each_element(const Move& m, Place place) {
  const auto* const slots = static_cast<const Slot*>(m.slots);
  std::byte *const table = m.table, *const data = m.data;
  const std::uint32_t* const positions = m.positions;
  const std::int64_t count = m.count;
  const auto to = [=](std::int64_t i) { return table + static_cast<std::int64_t>(slots[i]) * size; };
  const auto from = [=](std::int64_t i) { return data + (placed ? positions[i] : i) * size; };
  std::int64_t i = 0;
  if constexpr (far)
    for (; i + element_ahead < count; ++i) {
      __builtin_prefetch(to(i + element_ahead), 0, 2);
      place(to(i), from(i));
    }
  for (; i < count; ++i) place(to(i), from(i));
}

template <std::int64_t known, bool far, class Slot, class Place>
PTOX_INLINE void each_target(const Move& move, Place place) {
  if constexpr (known > 0 && known <= 8)
    if (packed(move))
      return move.positions ? each_element<known, far, true, Slot>(move, place)
                            : each_element<known, far, false, Slot>(move, place);
  const Move m = move;  // a copy, for what is written could else be taken for it
  each_row<known, far, Slot>(m, place);
}

template <class Copier, class Slot>
void scatter_with(const Move& m) {
  const auto place = [n = m.row_bytes](std::byte* to, const std::byte* from) { Copier::copy(to, from, n); };
  m.far ? each_target<Copier::bytes, true, Slot>(m, place) : each_target<Copier::bytes, false, Slot>(m, place);
}

/// Lines that are replaced as a whole need no fetching.
template <class Slot>
void scatter_streamed(const Move& m) {
  if (whole_lines(m.table, m.stride, m.row_bytes))
    with_streamed(m.row_bytes, [&]<class Copier>(Copier) {
      each_target<Copier::bytes, false, Slot>(
          m, [n = m.row_bytes](std::byte* to, const std::byte* from) { Copier::copy(to, from, n); });
    });
  else
    each_target<0, false, Slot>(
        m, [n = m.row_bytes](std::byte* to, const std::byte* from) { copy_bytes(to, from, n, true); });
}

template <class Slot>
void scatter(const Move& m) {
  if (m.stream && (m.row_bytes >= 4 * line || whole_lines(m.table, m.stride, m.row_bytes)))
    return scatter_streamed<Slot>(m);
  with_copier(m.row_bytes, [&]<class Copier>(Copier) { scatter_with<Copier, Slot>(m); });
}

}  // namespace
}  // namespace ptox
