// SPDX-License-Identifier: Apache-2.0
#include "cpu/bucket.hpp"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/at_fork.hpp"
#include "cpu/host.hpp"

namespace ptox {

namespace {

/// Buckets that grow at once: many, where the pages are small; few, where it is only about lines.
constexpr int most_regions = 64, most_huge_regions = 16;

/// Address ranges that earlier calls have left: to get large pages anew costs more than to sort into them. The system
/// may take their memory back at any time.
class Shelf {
 public:
  struct Range {
    void* place = nullptr;
    std::size_t bytes = 0;
  };
  static Range take(std::size_t bytes) {
    Shelf& s = shelf();
    std::lock_guard lock(s.mutex_);
    for (Range& r : s.ranges_)
      if (r.bytes == bytes) return std::exchange(r, {});
    return {};
  }
  static void give(Range range) {
#if defined(MADV_FREE)
    madvise(range.place, range.bytes, MADV_FREE);
    Shelf& s = shelf();
    std::lock_guard lock(s.mutex_);
    std::swap(range, s.ranges_[s.next_++ % s.ranges_.size()]);
#endif
    if (range.place) munmap(range.place, range.bytes);
  }

 private:
  static Shelf& shelf() {
    static Shelf* s = for_good(&Shelf::mutex_);  // threads may work while static objects die
    return *s;
  }
  std::mutex mutex_;
  std::array<Range, 4> ranges_{};
  std::size_t next_ = 0;
};

/// One bucket a region, each with room for everything: memory is only taken where something is put.
template <class Entry>
class Buckets {
 public:
  Buckets(int regions, std::int64_t count)
      : room_((count * static_cast<std::int64_t>(sizeof(Entry)) + skew * regions) / huge * huge + 2 * huge) {
    const auto bytes = static_cast<std::size_t>(room_ * regions + huge);
    range_ = Shelf::take(bytes);
    if (!range_.place) {
      void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (place == MAP_FAILED) return;
      range_ = {place, bytes};
      madvise(place, bytes, MADV_HUGEPAGE);
    }
    const auto address = (reinterpret_cast<std::uintptr_t>(range_.place) + huge - 1) / huge * huge;
    data_ = reinterpret_cast<std::byte*>(address);
  }
  ~Buckets() {
    if (data_) Shelf::give(range_);
  }
  Buckets(const Buckets&) = delete;
  Buckets& operator=(const Buckets&) = delete;

  explicit operator bool() const { return data_ != nullptr; }
  Entry* begin(int region) const { return reinterpret_cast<Entry*>(data_ + region * (room_ + skew)); }
  std::array<Entry*, most_regions> begins(int regions) const {
    std::array<Entry*, most_regions> all{};
    for (int b = 0; b < regions; ++b) all[static_cast<std::size_t>(b)] = begin(b);
    return all;
  }

 private:
  static constexpr std::int64_t huge = std::int64_t{2} << 20;
  static constexpr std::int64_t skew =
      64 * 17;  ///< buckets grow alike: else they would all fall on one set of the cache
  std::int64_t room_;
  Shelf::Range range_;
  std::byte* data_ = nullptr;
};

const std::uint32_t* slots_at(const Move& m, std::int64_t i) { return static_cast<const std::uint32_t*>(m.slots) + i; }

/// Takes the values out of the buckets in the order in which their slots went in.
template <class T>
void put_back(const Move& m, Regions r, const Buckets<std::uint32_t>& buckets) {
  constexpr std::int64_t staged = 4096 / sizeof(T);
  std::array<const T*, most_regions> next{};
  for (int b = 0; b < r.count; ++b) next[static_cast<std::size_t>(b)] = reinterpret_cast<const T*>(buckets.begin(b));
  alignas(64) T stage[staged];
  for (std::int64_t i = 0; i < m.count; i += staged) {
    const std::int64_t n = std::min(staged, m.count - i);
    for (std::int64_t k = 0; k < n; ++k) stage[k] = *next[*slots_at(m, i + k) >> r.shift]++;
    kernels().copy(m.data + i * m.row_bytes, reinterpret_cast<const std::byte*>(stage), n * m.row_bytes, m.stream);
  }
}

/// Values take the place of their slots, which are no shorter.
template <class T>
void gather_chunk(const Move& m, Regions r, const Buckets<std::uint32_t>& buckets) {
  auto ends = buckets.begins(r.count);
  for (std::int64_t i = 0; i < m.count; ++i) *ends[*slots_at(m, i) >> r.shift]++ = *slots_at(m, i);
  for (int b = 0; b < r.count; ++b) {
    Move one = m;
    one.slots = buckets.begin(b), one.count = ends[static_cast<std::size_t>(b)] - buckets.begin(b), one.stream = false;
    one.data = reinterpret_cast<std::byte*>(buckets.begin(b));
    kernels().gather[0](one);
  }
  put_back<T>(m, r, buckets);
}

/// So many at a time that a line of the table is wanted more than once, and the buckets do not grow with the call.
template <class T>
bool gather_typed(const Move& m, Regions r) {
  const std::int64_t lines = (static_cast<std::int64_t>(r.count) << r.shift) * m.row_bytes / 64;
  const std::int64_t chunk = std::min(m.count, std::max<std::int64_t>(4 * lines, 16 << 20));
  const Buckets<std::uint32_t> buckets(r.count, chunk);
  if (!buckets) return false;
  for (std::int64_t i = 0; i < m.count; i += chunk) {
    Move some = m;
    some.slots = slots_at(m, i), some.count = std::min(chunk, m.count - i), some.data = m.data + i * m.row_bytes;
    gather_chunk<T>(some, r, buckets);
  }
  return true;
}

/// Calls visit(slot, position) for those slots of a move that lie in [first, end), in order.
template <class Visit>
void each_in(const Move& m, std::uint64_t first, std::uint64_t end, Visit&& visit) {
  constexpr std::int64_t batch = 4096;
  std::uint32_t slots[batch + 16], positions[batch + 16];
  for (std::int64_t i = 0; i < m.count; i += batch) {
    const std::int64_t kept =
        kernels().pick[0](slots_at(m, i), std::min(batch, m.count - i), first, end, {slots, positions});
    for (std::int64_t k = 0; k < kept; ++k) visit(slots[k], i + positions[k]);
  }
}

template <class T>
bool scatter_typed(const Move& m, Regions r, int first, int end, MoveLoop loop) {
  const int mine = end - first;
  const Buckets<std::uint32_t> slots(mine, m.count);
  const Buckets<T> values(mine, m.count);
  if (!slots || !values) return false;
  auto slot_ends = slots.begins(mine);
  auto value_ends = values.begins(mine);
  each_in(m, std::uint64_t(first) << r.shift, std::uint64_t(end) << r.shift, [&](std::uint32_t slot, std::int64_t i) {
    const std::size_t b = (slot >> r.shift) - static_cast<std::size_t>(first);
    *slot_ends[b]++ = slot;
    std::memcpy(value_ends[b]++, m.data + i * m.row_bytes, sizeof(T));
  });
  for (int b = 0; b < mine; ++b) {
    Move one = m;
    one.slots = slots.begin(b), one.count = slot_ends[static_cast<std::size_t>(b)] - slots.begin(b);
    one.data = reinterpret_cast<std::byte*>(values.begin(b));
    loop(one);
  }
  return true;
}

/// Calls f with an unsigned integer of that many bytes.
template <class F>
bool with_word(std::int64_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return false;
  }
}

}  // namespace

Regions regions_of(const Move& all, std::int64_t count, const Sample& sample, bool gathers) {
  const bool packed = all.stride == all.row_bytes && all.data_stride == all.row_bytes &&
                      std::has_single_bit(static_cast<std::uint64_t>(all.row_bytes)) && all.row_bytes <= 4;
  if (!packed || all.capacity > (std::uint64_t{1} << 32) || count < fewest_sorted) return {};
  const std::int64_t bytes = static_cast<std::int64_t>(all.capacity) * all.row_bytes;
  if (bytes < 2 * caches().last) return {};
  if (!sample.spread() || !sample.jumps()) return {};
  const bool small = on_small_pages(all.table, bytes);
  const std::int64_t lines = bytes / 64, region = small ? caches().last / 8 : caches().last / 2;
  if (small ? count < lines / 4 : !gathers || count < 2 * lines) return {};
  const int shift = std::bit_width(static_cast<std::uint64_t>(region / all.row_bytes)) - 1;
  const auto regions = static_cast<std::int64_t>((all.capacity - 1) >> shift) + 1;
  return regions <= (small ? most_regions : most_huge_regions) ? Regions{shift, static_cast<int>(regions)} : Regions{};
}

bool gather_by_region(const Move& m, Regions r) {
  return with_word(m.row_bytes, [&]<class T>(T) { return gather_typed<T>(m, r); });
}

bool scatter_by_region(const Move& m, Regions r, int first, int end, MoveLoop loop) {
  return with_word(m.row_bytes, [&]<class T>(T) { return scatter_typed<T>(m, r, first, end, loop); });
}

}  // namespace ptox
