// SPDX-License-Identifier: Apache-2.0
// The slots that the indices of a whole-tensor call name, and what is known about them before they are used.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "cpu/kernels.hpp"
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

/// The indices of a call, as slots; those past the capacity are left for the loops to drop.
class Slots {
 public:
  Slots(const detail::IndexView& idx, std::int64_t capacity, pto::instr::OutOfRange policy, bool in_range)
      : idx_(idx), capacity_(static_cast<std::uint64_t>(capacity)), policy_(policy), in_range_(in_range) {}

  bool wide() const { return idx_.wide; }
  std::int64_t count() const { return idx_.count; }
  std::uint64_t capacity() const { return capacity_; }
  /// Every slot is below the capacity once `resolve` has seen it.
  bool all_valid() const { return in_range_ || policy_ != pto::instr::OutOfRange::drop; }
  /// The indices are the slots.
  bool as_given() const { return in_range_ || policy_ == pto::instr::OutOfRange::drop; }

  /// Slots [begin, begin + count): where they are, or put into `room`, which has as many.
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

/// The slots of a call, asked in so many parts. Throws std::out_of_range when the policy has none for an index. Where
/// the loops can ask as well, whether all are in range is left to them.
Slots slots_of(const detail::Call& call, pto::instr::OutOfRange policy, int parts);

/// A look at some hundreds of slots spread over all of them.
class Sample {
 public:
  static constexpr int most = 1024;
  /// Of nothing: no slot is known.
  Sample() = default;
  /// Slots of `unit_bytes` each.
  Sample(const Slots& slots, std::int64_t unit_bytes);

  /// No slot is much more frequent than others.
  bool spread() const { return distinct_ * 20 > seen_ * 19; }
  /// A slot seldom lies beside the one before it.
  bool jumps() const { return beside_ * 4 < seen_; }
  /// How many of `count` slots are likely below the capacity.
  std::int64_t valid(std::int64_t count) const { return looked_ == 0 ? 0 : count / looked_ * seen_; }
  /// How many there likely are past the capacity beside so many below it.
  std::int64_t past_capacity(std::int64_t valid) const { return seen_ == 0 ? 0 : valid / seen_ * (looked_ - seen_); }
  /// Many are below the capacity, and more than a few are not.
  bool mixed() const { return (looked_ - seen_) * 32 > looked_; }
  /// They lie all over so many bytes at least, nowhere much closer, and do not stay for a while where the second cache
  /// holds them.
  bool all_over(std::int64_t bytes) const {
    return areas_ * area_bytes >= bytes && crowded_ * 4 < seen_ && stays_ * 2 < seen_;
  }
  /// Whether slots go on beside those some hundred before them, as those of several that are taken in turn do.
  static bool goes_on(const Slots& slots, std::int64_t unit_bytes);
  /// All that were seen lie within so many bytes, of slots of `unit_bytes`.
  bool within(std::int64_t bytes, std::int64_t unit_bytes) const {
    const std::uint64_t first = seen_ == 0 ? 0 : sorted_.front();
    const std::uint64_t last = seen_ == 0 ? 0 : sorted_[static_cast<std::size_t>(seen_ - 1)];
    return static_cast<std::int64_t>(last - first) <= bytes / std::max<std::int64_t>(1, unit_bytes);
  }
  /// There are many different ones.
  bool various() const { return distinct_ * 8 > seen_; }
  /// Cut into `parts`, no part gets more than about two thirds.
  bool divides(int parts) const;
  /// Where the range of slots is cut so that each of `parts` gets about as many.
  std::uint64_t cut(int part, int parts) const;

 private:
  std::array<std::uint64_t, most> sorted_;  ///< those seen; the rest is nothing
  static constexpr std::int64_t area_bytes = 512 << 10;
  void count_areas(std::int64_t unit_bytes);

  int looked_ = 0, seen_ = 0, distinct_ = 0, beside_ = 0;
  int stays_ = 0;                ///< some thousand slots later one is within half the second cache
  int areas_ = 0, crowded_ = 0;  ///< areas of the table that were seen; slots in those that have many
};

}  // namespace ptox
