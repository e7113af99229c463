// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/space.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace ptox {

namespace {

constexpr int poison_byte = 0xA5;
constexpr std::int64_t least_bytes = 64 * 1024;
constexpr std::size_t side_buffer_bytes = 64 * 1024;

}  // namespace

std::size_t space_bytes(const Target& t, int space) {
  const std::size_t sizes[space_count] = {t.ub_bytes,  t.l1_bytes,  t.l0a_bytes,
                                          t.l0b_bytes, t.l0c_bytes, side_buffer_bytes};
  return sizes[space];
}

Space::~Space() {
  if (base_) munmap(base_, static_cast<std::size_t>(bytes_));
}

std::byte* Space::reserve() {
  for (;; bytes_ /= 2) {  // a host with little address space gets a smaller buffer
    void* p = mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) return base_ = static_cast<std::byte*>(p);
    if (bytes_ < least_bytes) throw std::bad_alloc();
  }
}

void Space::start(bool poisoned) {
  assigned_.clear();
  automatic_.clear();
  reached_.clear();
  poison_ = poisoned;
}

void Space::reach(std::int64_t begin, std::int64_t end) {
  if (!poison_) return;
  for (std::int64_t at = begin; at < end;) {  // skips bytes that a tile has occupied before
    const Interval* known = nullptr;
    for (const Interval& i : reached_)
      if (i.end > at && i.begin < end && (!known || i.begin < known->begin)) known = &i;
    const std::int64_t stop = known ? std::max(at, known->begin) : end;
    std::memset(base() + at, poison_byte, static_cast<std::size_t>(stop - at));
    at = known ? known->end : end;
  }
  merge(reached_, {begin, end});
}

const Space::Interval* Space::overlapping(const std::vector<Interval>& held, std::int64_t begin, std::int64_t end) {
  const auto it =
      std::find_if(held.begin(), held.end(), [&](const Interval& i) { return i.begin < end && begin < i.end; });
  return it == held.end() ? nullptr : &*it;
}

/// Adds an interval, merged with all that overlap or adjoin it. Returns false if one of them covers it already.
bool Space::merge(std::vector<Interval>& held, Interval add) {
  const auto covers = [&](const Interval& i) { return i.begin <= add.begin && add.end <= i.end; };
  if (std::any_of(held.begin(), held.end(), covers)) return false;
  std::erase_if(held, [&](const Interval& i) {
    const bool meets = i.begin <= add.end && add.begin <= i.end;
    if (meets) add = {std::min(add.begin, i.begin), std::max(add.end, i.end)};
    return meets;
  });
  held.push_back(add);
  return true;
}

const Space::Interval* Space::hold(std::int64_t begin, std::int64_t end) {
  merge(assigned_, {begin, end});
  return overlapping(automatic_, begin, end);
}

std::int64_t Space::take(std::int64_t size, std::int64_t limit, const pto::instr::Site& site) {
  std::int64_t begin = 0;
  while (begin + size <= limit) {
    const Interval* in_way = overlapping(automatic_, begin, begin + size);
    if (!in_way) in_way = overlapping(assigned_, begin, begin + size);
    if (!in_way) {
      automatic_.push_back({begin, begin + size, site});
      return begin;
    }
    begin = block_aligned(in_way->end);
  }
  return -1;
}

void Space::give_back(std::int64_t begin) {
  std::erase_if(automatic_, [&](const Interval& i) { return i.begin == begin; });
}

std::int64_t Space::automatic_bytes() const {
  std::int64_t sum = 0;
  for (const Interval& i : automatic_) sum += i.end - i.begin;
  return sum;
}

std::int64_t Space::room_at(std::int64_t offset, std::int64_t limit) const {
  for (const auto* held : {&assigned_, &automatic_})
    for (const Interval& i : *held)
      if (i.begin > offset) limit = std::min(limit, i.begin);
  return std::max<std::int64_t>(0, limit - offset);
}

std::int64_t Space::largest_hole(std::int64_t limit) const {
  std::vector<Interval> held = assigned_;
  held.insert(held.end(), automatic_.begin(), automatic_.end());
  std::sort(held.begin(), held.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::int64_t at = 0, most = 0;
  for (const Interval& i : held) {
    most = std::max(most, std::min(i.begin, limit) - at);
    at = std::max(at, block_aligned(i.end));
  }
  return std::max(most, limit - at);
}

std::int64_t Space::used() const {
  std::int64_t top = 0;
  for (const Interval& i : assigned_) top = std::max(top, i.end);
  for (const Interval& i : automatic_) top = std::max(top, i.end);
  return top;
}

}  // namespace ptox
