// SPDX-License-Identifier: Apache-2.0
#include "host/slots.hpp"

#include <atomic>

#include "host/ops_checks.hpp"
#include "host/sharing.hpp"
#include "loops/caches.hpp"

namespace ptox {

namespace {

template <class Slot>
void clamp(const Slot* from, std::int64_t count, std::uint64_t capacity, Slot* to) {
  const auto last = static_cast<Slot>(std::min<std::uint64_t>(capacity - 1, ~Slot{0}));
  for (std::int64_t i = 0; i < count; ++i) to[i] = std::min(from[i], last);
}

/// Computes the remainder by multiplication with the reciprocal, which is exact for 32 bits.
void wrap(const std::uint32_t* from, std::int64_t count, std::uint64_t capacity, std::uint32_t* to) {
  if (capacity > ~std::uint32_t{0}) return static_cast<void>(std::copy_n(from, count, to));
  const std::uint64_t reciprocal = ~std::uint64_t{0} / capacity + 1;  // capacity 1: overflows to 0, as the remainder is
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = static_cast<std::uint32_t>(static_cast<unsigned __int128>(reciprocal * from[i]) * capacity >> 64);
}
void wrap(const std::uint64_t* from, std::int64_t count, std::uint64_t capacity, std::uint64_t* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] < capacity ? from[i] : from[i] % capacity;
}

/// Whether all indices are below the capacity. Reading them in order is fast, so that few indices are read by one
/// thread.
bool in_range(const detail::IndexView& idx, std::uint64_t capacity, int most_parts) {
  constexpr std::int64_t least_bytes = 512 << 10;
  const std::int64_t bytes = idx.count * (idx.wide ? 8 : 4);
  const auto parts = static_cast<int>(std::clamp<std::int64_t>(bytes / least_bytes, 1, most_parts));
  std::atomic<bool> all = true;
  share(parts, [&](int i) {
    const std::int64_t begin = part_begin(idx.count, i, parts), end = part_begin(idx.count, i + 1, parts);
    if (begin < end && kernels().largest[idx.wide](index_from(idx, begin), end - begin) >= capacity) all = false;
  });
  return all;
}

/// The number of slots of `unit_bytes` that two cache lines hold, at least one.
std::uint64_t slots_beside(std::int64_t unit_bytes) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, 128 / std::max<std::int64_t>(1, unit_bytes)));
}

std::int64_t first_past(const detail::IndexView& idx, std::uint64_t capacity) {
  std::int64_t i = 0;
  while (index_at(idx, i) < capacity) ++i;
  return i;
}

}  // namespace

Slots slots_of(const detail::Call& c, pto::instr::OutOfRange policy, int parts) {
  using pto::instr::OutOfRange;
  const auto capacity = static_cast<std::uint64_t>(c.table.rows);
  const bool asked_later = c.gathers() && policy == OutOfRange::drop;  // by the loop, at no cost
  const bool all = !asked_later && in_range(c.idx, capacity, parts);
  if (!all && !asked_later && (policy == OutOfRange::undefined || (capacity == 0 && policy != OutOfRange::drop))) {
    const std::int64_t i = first_past(c.idx, capacity);
    refuse_index(c, i, index_at(c.idx, i));
  }
  return Slots(c.idx, c.table.rows, policy, all);
}

const void* Slots::resolve(std::int64_t begin, std::int64_t count, void* room) const {
  const void* from = index_from(idx_, begin);
  if (as_given()) return from;
  const auto by = [&]<class Slot>(const Slot* at, Slot* to) {
    policy_ == pto::instr::OutOfRange::clamp ? clamp(at, count, capacity_, to) : wrap(at, count, capacity_, to);
  };
  if (wide())
    by(static_cast<const std::uint64_t*>(from), static_cast<std::uint64_t*>(room));
  else
    by(static_cast<const std::uint32_t*>(from), static_cast<std::uint32_t*>(room));
  return room;
}

Sample::Sample(const Slots& slots, std::int64_t unit_bytes) {
  const std::int64_t wanted = std::clamp<std::int64_t>(slots.count() / 512, 32, most);  // at a negligible cost
  const std::int64_t step = std::max<std::int64_t>(1, slots.count() / wanted);
  const std::uint64_t near = slots_beside(unit_bytes);
  constexpr std::int64_t later_by = 2048;
  const std::uint64_t reach = near * static_cast<std::uint64_t>(caches().second / 2 / 128);
  for (std::int64_t k = 0; k * step < slots.count() && seen_ < most; ++k) {
    const std::int64_t somewhere = (k * 2654435761 >> 8) % step;  // a random offset, as indices may repeat at this step
    const std::int64_t i = std::min(k * step + somewhere, slots.count() - 1);
    const std::uint64_t slot = slots.at(i);
    ++looked_;
    if (slot >= slots.capacity()) continue;
    const std::uint64_t next = slots.at(std::min(i + 1, slots.count() - 1));
    const std::uint64_t later = slots.at(std::min(i + later_by, slots.count() - 1));
    beside_ += slot - next + near <= 2 * near;
    stays_ += slot - later + reach <= 2 * reach;
    sorted_[static_cast<std::size_t>(seen_++)] = slot;
  }
  std::sort(sorted_.begin(), sorted_.begin() + seen_);
  for (int i = 0; i < seen_; ++i)
    distinct_ += i == 0 || sorted_[static_cast<std::size_t>(i)] != sorted_[static_cast<std::size_t>(i - 1)];
  count_areas(unit_bytes);
}

bool Sample::goes_on(const Slots& slots, std::int64_t unit_bytes) {
  constexpr std::int64_t looks = 32, after = 128;
  const std::uint64_t near = slots_beside(unit_bytes);
  std::int64_t found = 0;
  for (std::int64_t look = 0; look < looks; ++look) {
    const std::int64_t first = slots.count() / looks * look, end = std::min(first + after, slots.count());
    const std::uint64_t slot = slots.at(first);
    bool beside = false;
    for (std::int64_t i = first + 1; i < end && !beside; ++i) beside = slots.at(i) - slot + near <= 2 * near;
    found += beside;
  }
  return 2 * found > looks;
}

void Sample::count_areas(std::int64_t unit_bytes) {
  const auto area = [&](int i) {
    return static_cast<std::int64_t>(sorted_[static_cast<std::size_t>(i)]) * unit_bytes / area_bytes;
  };
  for (int i = 0, end = 0; i < seen_; i = end) {
    while (end < seen_ && area(end) == area(i)) ++end;
    ++areas_;
    if ((end - i) * 32 > seen_) crowded_ += end - i;
  }
}

bool Sample::divides(int parts) const {
  const auto seen = std::span(sorted_).first(static_cast<std::size_t>(seen_));
  for (int i = 0; i < parts; ++i) {
    const auto begin = std::ranges::lower_bound(seen, cut(i, parts)),
               end = std::ranges::lower_bound(seen, cut(i + 1, parts));
    if ((end - begin) * 3 > seen_ * 2) return false;
  }
  return true;
}

std::uint64_t Sample::cut(int part, int parts) const {
  if (part >= parts) return ~std::uint64_t{0};
  if (part <= 0 || seen_ == 0) return 0;
  return sorted_[static_cast<std::size_t>(static_cast<std::int64_t>(seen_) * part / parts)];
}

}  // namespace ptox
