// SPDX-License-Identifier: Apache-2.0
// Allocates the UB of a block: tiles get the lowest hole between the bytes that are in use.
#pragma once

#include <cstdint>

#include "pto/tile/qualifiers.hpp"

namespace pto::instr::cuda {

/// A bounded list of intervals in use: those of automatic tiles, which are freed one by one, and those of TASSIGN,
/// which are kept. Used by one thread of a block. Functions are not inlined, so that the other threads do not load from
/// the list.
class Holes {
 public:
  static constexpr int most = 64;
  static constexpr std::int64_t no_room = -1, list_full = -2;

  AICORE void clear() { count_ = 0, top_ = 0; }
  /// Allocates `bytes` at the lowest free 32-byte aligned offset, with its end at most `limit`, and returns the offset;
  /// otherwise no_room or list_full.
  AICORE __attribute__((noinline)) std::int64_t take(std::int64_t bytes, std::int64_t limit) {
    std::int64_t begin = 0;
    while (begin + bytes <= limit) {
      const int in_way = overlapping(begin, begin + bytes, any);
      if (in_way < 0) return add(begin, begin + bytes, true) ? begin : list_full;
      begin = (held_[in_way].end + 31) / 32 * 32;
    }
    return no_room;
  }
  AICORE __attribute__((noinline)) void give_back(std::int64_t begin) {
    for (int i = 0; i < count_; ++i)
      if (held_[i].automatic && held_[i].begin == begin) {
        held_[i] = held_[--count_];
        return;
      }
  }
  /// Adds an interval of TASSIGN, merged with those that it overlaps or touches. False if the list is full.
  AICORE __attribute__((noinline)) bool hold(std::int64_t begin, std::int64_t end) {
    for (int i = 0; i < count_;) {
      Held& h = held_[i];
      if (h.automatic || h.begin > end || begin > h.end) {
        ++i;
        continue;
      }
      if (h.begin <= begin && end <= h.end) return true;
      begin = h.begin < begin ? h.begin : begin, end = h.end > end ? h.end : end;
      held_[i] = held_[--count_], i = 0;
    }
    return add(begin, end, false);
  }
  /// The interval of an automatic tile; both -1 if there is none.
  struct Interval {
    std::int64_t begin = -1, end = -1;
  };
  /// An automatic tile that overlaps the range.
  AICORE __attribute__((noinline)) Interval automatic_in(std::int64_t begin, std::int64_t end) const {
    const int at = overlapping(begin, end, automatic);
    return at < 0 ? Interval{} : Interval{held_[at].begin, held_[at].end};
  }
  /// One past the highest byte that was ever in use.
  AICORE std::int64_t top() const { return top_; }

 private:
  enum Which { any, automatic };
  struct Held {
    std::int32_t begin, end;
    bool automatic;
  };
  AICORE int overlapping(std::int64_t begin, std::int64_t end, Which which) const {
    for (int i = 0; i < count_; ++i)
      if (held_[i].begin < end && begin < held_[i].end && (which == any || held_[i].automatic)) return i;
    return -1;
  }
  AICORE bool add(std::int64_t begin, std::int64_t end, bool is_automatic) {
    if (end > top_) top_ = end;
    if (count_ == most) return false;
    held_[count_++] = {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), is_automatic};
    return true;
  }

  Held held_[most];
  int count_;
  std::int64_t top_;
};

}  // namespace pto::instr::cuda
