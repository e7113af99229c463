// SPDX-License-Identifier: Apache-2.0
// The slots that the indices of a whole-tensor call select, and a sample of them from which a plan is chosen.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "loops/kernels.hpp"
#include "pto/isa/policy.hpp"
#include "ptox/ops.hpp"

namespace ptox {

namespace detail {
struct Call;
}

inline std::uint64_t index_at(const detail::IndexView& idx, std::int64_t i) {
  return idx.wide ? static_cast<const std::uint64_t*>(idx.data)[i] : static_cast<const std::uint32_t*>(idx.data)[i];
}
inline const void* index_from(const detail::IndexView& idx, std::int64_t i) {
  return static_cast<const std::byte*>(idx.data) + i * (idx.wide ? 8 : 4);
}

/// The indices of a call as slots. With OutOfRange::drop, slots past the capacity are left to the loops, which drop
/// them.
class Slots {
 public:
  Slots(const detail::IndexView& idx, std::int64_t capacity, pto::instr::OutOfRange policy, bool in_range)
      : idx_(idx), capacity_(static_cast<std::uint64_t>(capacity)), policy_(policy), in_range_(in_range) {}

  bool wide() const { return idx_.wide; }
  std::int64_t count() const { return idx_.count; }
  std::uint64_t capacity() const { return capacity_; }
  /// Whether every slot that `resolve` returns is below the capacity.
  bool all_valid() const { return in_range_ || policy_ != pto::instr::OutOfRange::drop; }
  /// Whether the indices are used as slots without conversion.
  bool as_given() const { return in_range_ || policy_ == pto::instr::OutOfRange::drop; }

  /// Returns the slots [begin, begin + count): the indices themselves, or their conversion in `room`, which has space
  /// for `count` slots.
  const void* resolve(std::int64_t begin, std::int64_t count, void* room) const;
  std::uint64_t at(std::int64_t i) const {
    std::uint64_t one = 0;
    std::uint32_t narrow = 0;
    if (wide()) return *static_cast<const std::uint64_t*>(resolve(i, 1, &one));
    return *static_cast<const std::uint32_t*>(resolve(i, 1, &narrow));
  }

 private:
  detail::IndexView idx_;
  std::uint64_t capacity_;
  pto::instr::OutOfRange policy_;
  bool in_range_;
};

/// The slots of a call; its indices are validated by at most `parts` threads. Throws std::out_of_range for an index
/// that the policy does not define. The indices of a gather that drops are validated by its loop.
Slots slots_of(const detail::Call& call, pto::instr::OutOfRange policy, int parts);

/// Statistics of some hundreds of slots that are taken from the whole range of a call's indices.
class Sample {
 public:
  static constexpr int most = 1024;
  /// An empty sample.
  Sample() = default;
  /// Takes a sample; a slot has `unit_bytes` bytes.
  Sample(const Slots& slots, std::int64_t unit_bytes);

  /// More than 95 % of the sampled slots are distinct: no slot is much more frequent than others.
  bool spread() const { return distinct_ * 20 > seen_ * 19; }
  /// Fewer than a quarter of the slots are followed by a slot within two cache lines.
  bool jumps() const { return beside_ * 4 < seen_; }
  /// An estimate of how many of `count` slots are below the capacity.
  std::int64_t valid(std::int64_t count) const { return looked_ == 0 ? 0 : count / looked_ * seen_; }
  /// An estimate of how many slots are past the capacity if `valid` slots are below it.
  std::int64_t past_capacity(std::int64_t valid) const { return seen_ == 0 ? 0 : valid / seen_ * (looked_ - seen_); }
  /// More than 1 in 32 sampled slots are past the capacity.
  bool mixed() const { return (looked_ - seen_) * 32 > looked_; }
  /// The slots are spread over at least `bytes` bytes of the table, are not concentrated in a few areas, and do not
  /// stay for some thousand slots within an area that L2 holds.
  bool all_over(std::int64_t bytes) const {
    return areas_ * area_bytes >= bytes && crowded_ * 4 < seen_ && stays_ * 2 < seen_;
  }
  /// Whether most slots have a neighbour within two cache lines among the next hundred slots or so, as the slots of
  /// several interleaved sequential runs do.
  static bool goes_on(const Slots& slots, std::int64_t unit_bytes);
  /// All sampled slots lie within `bytes` bytes of a table whose slots are `unit_bytes` apart.
  bool within(std::int64_t bytes, std::int64_t unit_bytes) const {
    const std::uint64_t first = seen_ == 0 ? 0 : sorted_.front();
    const std::uint64_t last = seen_ == 0 ? 0 : sorted_[static_cast<std::size_t>(seen_ - 1)];
    return static_cast<std::int64_t>(last - first) <= bytes / std::max<std::int64_t>(1, unit_bytes);
  }
  /// More than 1 in 8 sampled slots are distinct.
  bool various() const { return distinct_ * 8 > seen_; }
  /// Whether no part gets more than about two thirds of the rows if the slots are divided into `parts` ranges by `cut`.
  bool divides(int parts) const;
  /// The first slot of range `part` if the slots are divided into `parts` ranges that get about equally many rows.
  std::uint64_t cut(int part, int parts) const;

 private:
  std::array<std::uint64_t, most> sorted_;  ///< the valid sampled slots, ascending; the rest is undefined
  static constexpr std::int64_t area_bytes = 512 << 10;
  void count_areas(std::int64_t unit_bytes);

  int looked_ = 0, seen_ = 0, distinct_ = 0, beside_ = 0;
  int stays_ = 0;                ///< sampled slots whose slot some thousand later is within half of L2
  int areas_ = 0, crowded_ = 0;  ///< areas of the table with sampled slots; slots in areas that have many
};

}  // namespace ptox
