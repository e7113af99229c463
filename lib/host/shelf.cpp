// SPDX-License-Identifier: Apache-2.0
#include "host/shelf.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "engine/system/at_fork.hpp"

namespace ptox {

namespace {

struct Range {
  std::byte* place = nullptr;
  std::size_t bytes = 0;
  bool left = false;  ///< the system may reclaim its pages
};

/// Ranges of memory that are free for reuse, the most recently returned one first.
class Shelf {
 public:
  static Range take(std::size_t bytes) {
    Shelf& s = shelf();
    std::lock_guard lock(s.mutex_);
    const auto found = std::ranges::find(s.ranges_, bytes, &Range::bytes);
    if (found == s.ranges_.end()) return {};
    std::rotate(found, found + 1, s.ranges_.end());
    return std::exchange(s.ranges_.back(), {});
  }
  /// Adds a range and returns the oldest one, which the caller has to unmap; empty if there was room. Ranges beyond the
  /// first `most_kept` bytes stay on the shelf, but the system may reclaim their pages.
  static Range give(Range range) {
    if (range.bytes > most_kept) leave_to_system(range);
    Shelf& s = shelf();
    std::lock_guard lock(s.mutex_);
    std::rotate(s.ranges_.begin(), s.ranges_.end() - 1, s.ranges_.end());
    const Range last = std::exchange(s.ranges_.front(), range);
    std::size_t kept = 0;
    for (Range& r : s.ranges_)
      if ((kept += r.bytes) > most_kept) leave_to_system(r);
    return last;
  }

 private:
  static constexpr std::size_t most_kept = std::size_t{256} << 20;

  static Shelf& shelf() {
    static Shelf* s = for_good(&Shelf::mutex_);  // threads may run during static destruction
    return *s;
  }
  /// Lets the system reclaim the pages. Not used for ranges within `most_kept`: faulting reclaimed pages in costs the
  /// next call as much again as its work in them.
  static void leave_to_system(Range& r) {
#if defined(MADV_FREE)
    if (r.place && !r.left) madvise(r.place, r.bytes, MADV_FREE);
#endif
    r.left = true;
  }

  std::mutex mutex_;
  std::array<Range, 8> ranges_{};
};

/// Rounds up by at most an eighth, so that calls of about the same size can reuse each other's ranges.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::max<std::size_t>(std::bit_floor(bytes) / 8, 4096);
  return (bytes + step - 1) / step * step;
}

}  // namespace

// Physical memory is only allocated for pages that are written.
Lent::Lent(std::size_t bytes) : bytes_(rounded(bytes)) {
  place_ = Shelf::take(bytes_).place;
  if (place_) return;
  void* place = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return;
  place_ = static_cast<std::byte*>(place);
#if defined(MADV_HUGEPAGE)
  madvise(place_, bytes_, MADV_HUGEPAGE);  // hundreds of blocks are written in turn
#endif
}

Lent::~Lent() {
  if (!place_) return;
  const Range before = Shelf::give({place_, bytes_, false});
  if (before.place) munmap(before.place, before.bytes);
}

}  // namespace ptox
