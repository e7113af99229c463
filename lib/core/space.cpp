// SPDX-License-Identifier: Apache-2.0
#include "core/space.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace ptox {

namespace {

constexpr int poison_byte = 0xA5;
constexpr std::int64_t align = 32;
constexpr std::size_t side_buffer_bytes = 64 * 1024;

std::int64_t aligned_up(std::int64_t n) { return (n + align - 1) / align * align; }

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
  void* p = mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(p);
  return base_;
}

void Space::start(bool poisoned) {
  assigned_.clear();
  automatic_.clear();
  poison_ = poisoned;
  poisoned_to_ = 0;
  if (poison_ && touched_) reach(touched_);
}

void Space::reach(std::int64_t end) {
  if (poison_ && end > poisoned_to_) {
    std::memset(base() + poisoned_to_, poison_byte, static_cast<std::size_t>(end - poisoned_to_));
    poisoned_to_ = end;
  }
  touched_ = std::max(touched_, end);
}

const Space::Interval* Space::overlapping(const std::vector<Interval>& held, std::int64_t begin, std::int64_t end) {
  const auto it = std::find_if(held.begin(), held.end(),
                               [&](const Interval& i) { return i.begin < end && begin < i.end; });
  return it == held.end() ? nullptr : &*it;
}

bool Space::hold(std::int64_t begin, std::int64_t end) {
  const bool free = overlapping(automatic_, begin, end) == nullptr;
  const auto covers = [&](const Interval& i) { return i.begin <= begin && end <= i.end; };
  if (std::none_of(assigned_.begin(), assigned_.end(), covers)) {
    for (auto it = assigned_.begin(); it != assigned_.end();) {  // grow into every interval it meets
      if (it->end < begin || end < it->begin) {
        ++it;
        continue;
      }
      begin = std::min(begin, it->begin);
      end = std::max(end, it->end);
      it = assigned_.erase(it);
    }
    assigned_.push_back({begin, end});
  }
  return free;
}

std::int64_t Space::take(std::int64_t size) {
  std::int64_t begin = 0;
  while (begin + size <= bytes_) {
    const Interval* in_way = overlapping(automatic_, begin, begin + size);
    if (!in_way) in_way = overlapping(assigned_, begin, begin + size);
    if (!in_way) {
      automatic_.push_back({begin, begin + size});
      return begin;
    }
    begin = aligned_up(in_way->end);
  }
  return -1;
}

void Space::give_back(std::int64_t begin) {
  std::erase_if(automatic_, [&](const Interval& i) { return i.begin == begin; });
}

std::int64_t Space::used() const {
  std::int64_t top = 0;
  for (const Interval& i : assigned_) top = std::max(top, i.end);
  for (const Interval& i : automatic_) top = std::max(top, i.end);
  return top;
}

}  // namespace ptox
