// SPDX-License-Identifier: Apache-2.0
// Copies rows of any width with the vectors of a level, optionally with non-temporal stores. Internal to the file of
// each level, like vectors.hpp.
#pragma once

#include "loops/vectors.hpp"

namespace ptox {
namespace {

constexpr std::int64_t line = 64;

// Copiers of rows. `bytes` is the row size if it is a compile-time constant, else 0. `few`: rows have so few bytes that
// they are moved one by one like elements, and not in batches.

/// Copies rows of n bytes.
template <std::int64_t n>
struct Exactly {
  static constexpr std::int64_t bytes = n;
  static constexpr bool few = n <= 8;
  static PTOX_INLINE void copy(std::byte* to, const std::byte* from, std::int64_t) {
    if constexpr (n > vector_bytes)  // a loop, because memcpy could become a call of a slow library
      for (std::int64_t i = 0; i < n; i += vector_bytes) store(to + i, load<Bytes>(from + i));
    else
      __builtin_memcpy(to, from, n);
  }
};
/// Copies `piece` to 2 * `piece` bytes as two pieces that may overlap.
template <std::int64_t piece>
struct Twice {
  static constexpr std::int64_t bytes = 0;
  static constexpr bool few = piece <= 8;
  static PTOX_INLINE void copy(std::byte* to, const std::byte* from, std::int64_t n) {
    struct Piece {
      std::byte bytes[piece];
    };
    const Piece first = load<Piece>(from), last = load<Piece>(from + n - piece);
    store(to, first), store(to + n - piece, last);
  }
};
/// Copies the size of a vector or more.
struct Many {
  static constexpr std::int64_t bytes = 0;
  static constexpr bool few = false;
  static PTOX_INLINE void copy(std::byte* to, const std::byte* from, std::int64_t n) {
    const Bytes last = load<Bytes>(from + n - vector_bytes);
    std::byte* const last_to = to + n - vector_bytes;
    if (n >= 4 * line) {  // align the stores: one that crosses a line costs two
      const std::int64_t head =
          vector_bytes - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % vector_bytes);
      store(to, load<Bytes>(from));
      to += head, from += head;
    }
    for (; to < last_to; to += vector_bytes, from += vector_bytes) store(to, load<Bytes>(from));
    store(last_to, last);
  }
};
/// Copies whole lines to an aligned address with non-temporal stores; n = 0: the size is known at run time only.
template <std::int64_t n>
struct Streamed {
  static constexpr std::int64_t bytes = n;
  static constexpr bool few = false;
  static PTOX_INLINE void copy(std::byte* to, const std::byte* from, std::int64_t any) {
    const std::int64_t end = n != 0 ? n : any;
    for (std::int64_t i = 0; i < end; i += line) stream_line(to + i, load_line(from + i));
  }
};

/// Calls f with the copier for rows of n bytes.
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
    case 1024:
      return f(Exactly<1024>{});
    default:
      break;
  }
  if (n < 8) return f(Twice<4>{});
  if (n < 16) return f(Twice<8>{});
  if (n < 32) return f(Twice<16>{});
  if (n < 64) return f(Twice<32>{});
  return f(Many{});
}
/// The same for rows of whole lines that are written with non-temporal stores.
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

inline void copy_cached(std::byte* to, const std::byte* from, std::int64_t n) {
  with_copier(n, [&](auto copier) { copier.copy(to, from, n); });
}
/// Copies of this many bytes and more advance at four places in turn: one sequential stream has fewer misses
/// outstanding than memory can serve.
constexpr std::int64_t in_four_places = 65536;
/// Prefetch distance in bytes of a copy of n bytes; 0: short copies do not prefetch.
constexpr std::int64_t fetched_by_copy(std::int64_t n) { return n >= in_four_places ? 2048 : n >= 32768 ? 4096 : 0; }
/// Copies a line and prefetches the one `ahead` bytes behind it.
PTOX_INLINE void copy_line(std::byte* to, const std::byte* from, std::int64_t ahead) {
  __builtin_prefetch(from + ahead, 0, 2);
  const Line bytes = load_line(from);
  store(to, bytes);
}
/// Copies many bytes and prefetches the source by the distance `fetched_by_copy`.
inline void copy_ahead(std::byte* to, const std::byte* from, std::int64_t n) {
  std::int64_t at = 0;
  if (n >= in_four_places) {
    const std::int64_t part = n / (4 * line) * line;
    for (; at < part; at += line)
      for (int k = 0; k < 4; ++k) copy_line(to + k * part + at, from + k * part + at, fetched_by_copy(n));
    at = 4 * part;
  }
  for (; at + line <= n; at += line) copy_line(to + at, from + at, fetched_by_copy(n));
  if (at != n) copy_cached(to + at, from + at, n - at);
}
/// Copies any number of bytes. `stream`: a copy of four lines or more writes whole lines with non-temporal stores, and
/// only the partial lines at its ends through the caches.
inline void copy_bytes(std::byte* to, const std::byte* from, std::int64_t n, bool stream) {
  if (!stream && fetched_by_copy(n) > 0) return copy_ahead(to, from, n);
  if (!stream || n < 4 * line) return copy_cached(to, from, n);
  const std::int64_t head = -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) & (line - 1);
  const std::int64_t whole = (n - head) / line * line, tail = n - head - whole;
  if (head != 0) copy_cached(to, from, head);
  Streamed<0>::copy(to + head, from + head, whole);
  if (tail != 0) copy_cached(to + head + whole, from + head + whole, tail);
}

/// Collects bytes for consecutive addresses and writes them line by line with non-temporal stores.
class LineWriter {
 public:
  static constexpr std::int64_t room = 4096;

  explicit LineWriter(std::byte* to)
      : lead_(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % line)), fill_(lead_), to_(to - lead_) {}
  /// Where the next bytes are to be put.
  std::byte* end() {
    std::byte* end = stage_ + fill_;
    asm("" : "+r"(end));  // hides the alignment of stage_, which g++ 12 would assume for `end`
    return end;
  }
  /// States that `bytes` bytes, at most `room`, were put at end().
  void grow(std::int64_t bytes) {
    fill_ += bytes;
    if (fill_ >= room) flush();
  }
  /// Writes the remaining bytes, the last partial line through the caches.
  void finish() {
    flush();
    __builtin_memcpy(to_ + lead_, stage_ + lead_, static_cast<std::size_t>(fill_ - lead_));
  }

 private:
  void flush() {
    if (fill_ < line) return;
    std::int64_t at = 0;
    if (lead_ != 0) {  // the first line begins before the output
      __builtin_memcpy(to_ + lead_, stage_ + lead_, static_cast<std::size_t>(line - lead_));
      lead_ = 0, at = line;
    }
    for (; at + line <= fill_; at += line) stream_line(to_ + at, load_line(stage_ + at));
    to_ += at, fill_ -= at;
    __builtin_memcpy(stage_, stage_ + at, line);
  }

  std::int64_t lead_, fill_;
  std::byte* to_;
  alignas(64) std::byte stage_[2 * room + 2 * line];
};

}  // namespace
}  // namespace ptox
