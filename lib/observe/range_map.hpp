// SPDX-License-Identifier: Apache-2.0
// A map from byte ranges to values.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <type_traits>

namespace ptox {

/// A value for every address; adjacent ranges with equal values are merged.
template <class Value>
class RangeMap {
 public:
  void clear() { pieces_.clear(); }

  /// Calls visit(value[, first address]) for every piece of [begin, end), with a new value where there is none yet;
  /// visit may change the value.
  template <class V>
  void visit(std::uint64_t begin, std::uint64_t end, V&& visit) {
    auto it = split(begin);
    for (std::uint64_t at = begin; at < end;) {
      if (it == pieces_.end() || it->first > at) {
        const std::uint64_t stop = it == pieces_.end() ? end : std::min(end, it->first);
        it = pieces_.emplace_hint(it, at, Piece{stop, Value{}});
      } else if (it->second.end > end) {
        split(end);
      }
      if constexpr (std::is_invocable_v<V&, Value&, std::uint64_t>)
        visit(it->second.value, it->first);
      else
        visit(it->second.value);
      at = it->second.end;
      it = std::next(merged(it));
    }
    if (it != pieces_.end() && it != pieces_.begin()) merged(it);
  }

  /// Calls visit(value[, first, one past the last]) for every piece that overlaps [begin, end).
  template <class V>
  void each(std::uint64_t begin, std::uint64_t end, V&& visit) const {
    auto it = pieces_.upper_bound(begin);
    if (it != pieces_.begin() && std::prev(it)->second.end > begin) --it;
    for (; it != pieces_.end() && it->first < end; ++it)
      if constexpr (std::is_invocable_v<V&, const Value&, std::uint64_t, std::uint64_t>)
        visit(it->second.value, it->first, it->second.end);
      else
        visit(it->second.value);
  }
  /// Calls visit(value) for every piece of [begin, end) that has a value; visit may change it.
  template <class V>
  void change(std::uint64_t begin, std::uint64_t end, V&& visit) {
    if (pieces_.empty()) return;
    split(end);
    for (auto it = split(begin); it != pieces_.end() && it->first < end; ++it) visit(it->second.value);
  }

 private:
  struct Piece {
    std::uint64_t end;
    Value value;
  };
  using Map = std::map<std::uint64_t, Piece>;

  /// Splits the piece that contains `at` there. Returns the first piece at or after `at`.
  typename Map::iterator split(std::uint64_t at) {
    auto it = pieces_.upper_bound(at);
    if (it == pieces_.begin()) return it;
    const auto before = std::prev(it);
    if (before->first == at) return before;
    if (before->second.end <= at) return it;
    const Piece rest = before->second;
    before->second.end = at;
    return pieces_.emplace_hint(it, at, rest);
  }
  /// Merges a piece with the one before it if they are adjacent and equal. Returns the resulting piece.
  typename Map::iterator merged(typename Map::iterator it) {
    if (it == pieces_.begin()) return it;
    const auto before = std::prev(it);
    if (before->second.end != it->first || !(before->second.value == it->second.value)) return it;
    before->second.end = it->second.end;
    pieces_.erase(it);
    return before;
  }

  Map pieces_;
};

}  // namespace ptox
