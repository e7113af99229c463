// SPDX-License-Identifier: Apache-2.0
#include "host/bucket.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

#include "host/sharing.hpp"
#include "host/shelf.hpp"
#include "loops/bins.hpp"
#include "loops/caches.hpp"

namespace ptox {

namespace {

constexpr std::int64_t line = 64;

/// L2 holds a dense region and the prefetched part of the next one. A scatter modifies the region, which is written
/// back while the next one is loaded; half the size is faster there. For other regions the last-level cache holds the
/// lines that are accessed.
std::int64_t region_bytes(bool dense, bool gathers) {
  return dense ? caches().second / (gathers ? 2 : 4) : caches().last / 8;
}

/// A call that is divided into chunks of at most `at_once` elements, and each chunk into parts for the threads.
struct Job : ByRegion {
  /// Uses at most as many parts as threads, and fewer where parts would be so small that their blocks are almost empty.
  explicit Job(const ByRegion& call) : ByRegion(call) {
    const std::int64_t most = std::min<std::int64_t>(launch_threads(parts, 0), chunk() / (256 * regions.count));
    parts = static_cast<int>(std::clamp<std::int64_t>(most, 1, parts));
  }

  std::int64_t region_bytes() const { return move.row_bytes << regions.shift; }
  std::int64_t chunk() const {
    const std::int64_t chunks = std::max<std::int64_t>(1, (move.count + at_once - 1) / at_once);
    return (move.count + chunks - 1) / chunks;
  }
  std::int64_t in_chunk(std::int64_t begin) const { return std::min(chunk(), move.count - begin); }
  /// Part i of the chunk that begins at element `chunk_begin`.
  Move part(std::int64_t chunk_begin, int i) const {
    const std::int64_t count = in_chunk(chunk_begin), begin = part_begin(count, i, parts);
    Move m = move;
    m.count = part_begin(count, i + 1, parts) - begin;
    m.slots = static_cast<const std::byte*>(m.slots) + (chunk_begin + begin) * (wide ? 8 : 4);
    m.data += (chunk_begin + begin) * m.row_bytes;
    return m;
  }
};

/// The sorted entries of a chunk, one Bins for each part; empty if memory was not available.
class Sorted {
 public:
  Sorted(const Job& job, bool valued) : job_(job), value_bytes_(valued ? job.move.row_bytes : 0) {
    const std::int64_t most = job.chunk() / job.parts + line;  // part_begin rounds, so parts differ in size
    const std::size_t bytes = Bins::bytes(job.regions.count, most, valued);
    memory_ = Lent(bytes * static_cast<std::size_t>(job.parts));
    if (!memory_.begin()) return;
    try {
      for (int i = 0; i < job.parts; ++i)
        bins_.emplace_back(job.regions.count, most, valued, memory_.begin() + bytes * static_cast<std::size_t>(i));
    } catch (const std::bad_alloc&) {
      bins_.clear();
    }
  }
  bool empty() const { return bins_.empty(); }
  const Bins& part(int i) const { return bins_[static_cast<std::size_t>(i)]; }

  /// Returns false if the call is strict and a slot is past the capacity.
  bool sort(std::int64_t chunk_begin) {
    share(job_.parts, [&](int i) {
      const Move m = job_.part(chunk_begin, i);
      bins_[static_cast<std::size_t>(i)].sort(
          {m.slots, job_.wide, m.capacity, m.data, value_bytes_, m.count, job_.mixed}, job_.regions.shift);
    });
    return !job_.strict || kept() == job_.in_chunk(chunk_begin);
  }

  /// Calls step(move) for each block of each region, in order; slots and count of the move are those of the block. The
  /// regions are shared among the threads.
  template <class Step>
  void each_block(Step&& step) const {
    const int count = job_.regions.count, ranges = job_.parts == 1 ? 1 : std::min(count, 8 * job_.parts);
    share(ranges, job_.parts, [&](int i) {
      const int first = count * i / ranges, end = count * (i + 1) / ranges;
      for (int region = first; region < end; ++region) {
        if (job_.regions.dense && (region == first || !caches().large_second())) read_region(region);
        each_block_of(region, region + 1 < end, step);
      }
    });
  }

 private:
  std::int64_t kept() const {
    std::int64_t all = 0;
    for (const Bins& b : bins_) all += b.kept();
    return all;
  }
  const std::byte* begin(int region) const { return job_.move.table + region * job_.region_bytes(); }
  /// Reads a region of the call's table in order, which the hardware prefetcher follows: with prefetch instructions in
  /// place of the reads, sums of elements take 1.4 times as long (bench w6). The values are not used: another call may
  /// write slots of the region that this call does not name.
  __attribute__((no_sanitize("thread"))) void read_region(int region) const {
    const std::int64_t bytes = static_cast<std::int64_t>(job_.move.capacity) * job_.move.row_bytes;
    const std::byte* const end = job_.move.table + std::min(bytes, (region + 1) * job_.region_bytes());
    for (const std::byte* at = begin(region); at < end; at += line)
      static_cast<void>(*static_cast<const volatile std::byte*>(at));
  }
  void fetch_elements(const std::byte* entries, std::int64_t count) const {
    const std::int64_t step = value_bytes_ == 0 ? 4 : 8;
    for (std::int64_t i = 0; i < count; ++i) {
      std::uint32_t slot;
      __builtin_memcpy(&slot, entries + i * step, sizeof slot);
      __builtin_prefetch(job_.move.table + slot * job_.move.row_bytes, 0, 2);
    }
  }

  /// Processes the blocks of a region. Prefetches meanwhile the next region if regions are dense and L2 is large, and
  /// the elements that the next block names if regions are not dense.
  template <class Step>
  void each_block_of(int region, bool more, Step&& step) const {
    std::int64_t all = 0;
    for (const Bins& bins : bins_) all += bins.count(region);
    Move m = job_.move;
    m.far = m.stream = false, m.capacity = Move::unchecked;
    m.meanwhile = begin(region);
    if (job_.regions.dense && more && caches().large_second())
      m.meanwhile += job_.region_bytes(),
          m.meanwhile_step = Move::meanwhile_elements * job_.region_bytes() / std::max<std::int64_t>(all, 1) + 1;
    for (const Bins& bins : bins_)
      bins.each(region, [&](std::byte* entries, std::int64_t count, const std::byte* next, std::int64_t next_count) {
        if (job_.regions.dense)
          for (std::int64_t i = 0; i < 8; ++i) __builtin_prefetch(next + i * line);  // the hardware prefetcher follows
        else
          fetch_elements(next, next_count);
        m.slots = entries, m.count = count;
        step(m);
        m.meanwhile += count / Move::meanwhile_elements * m.meanwhile_step;
      });
  }

  const Job& job_;
  std::int64_t value_bytes_;
  Lent memory_;
  std::vector<Bins> bins_;
};

/// Copies the gathered values from the bins to the data, in the original order of their slots.
template <class T, class Index, bool mixed>
void put_back(const Move& m, int shift, const Bins& bins) {
  constexpr std::int64_t staged = 4096 / sizeof(T);
  Bins::Reader<T> values(bins);
  const auto nowhere = static_cast<std::uint32_t>(bins.regions());
  const auto* slots = static_cast<const Index*>(m.slots);
  alignas(64) T stage[staged];
  for (std::int64_t i = 0; i < m.count; i += staged) {
    const std::int64_t n = std::min(staged, m.count - i);
    for (std::int64_t k = 0; k < n; ++k) {
      stage[k] = values.take(Sorting::place<mixed>(slots[i + k], i + k, shift, m.capacity, nowhere));
    }
    kernels().copy(m.data + i * m.row_bytes, reinterpret_cast<const std::byte*>(stage), n * m.row_bytes, m.stream);
  }
  kernels().fence();
}

template <class T, bool mixed>
void put_back(const Move& m, bool wide, int shift, const Bins& bins) {
  wide ? put_back<T, std::uint64_t, mixed>(m, shift, bins) : put_back<T, std::uint32_t, mixed>(m, shift, bins);
}
template <class T>
void put_back(const Job& job, const Move& m, const Bins& bins) {
  job.mixed ? put_back<T, true>(m, job.wide, job.regions.shift, bins)
            : put_back<T, false>(m, job.wide, job.regions.shift, bins);
}
void put_back(const Job& job, const Move& m, const Bins& bins) {
  switch (m.row_bytes) {
    case 1:
      return put_back<std::uint8_t>(job, m, bins);
    case 2:
      return put_back<std::uint16_t>(job, m, bins);
    default:
      return put_back<std::uint32_t>(job, m, bins);
  }
}

}  // namespace

Regions regions_of(const Move& all, std::int64_t count, const Sample& sample, bool gathers) {
  const bool packed = all.stride == all.row_bytes && all.data_stride == all.row_bytes &&
                      std::has_single_bit(static_cast<std::uint64_t>(all.row_bytes)) && all.row_bytes <= 4;
  if (!packed || all.capacity > (std::uint64_t{1} << 32) || count < fewest_sorted) return {};
  const std::int64_t bytes = static_cast<std::int64_t>(all.capacity) * all.row_bytes, lines = bytes / line;
  if (bytes < 2 * caches().last) return {};
  if (!sample.spread() || !sample.jumps() || !sample.all_over(caches().last * 3 / 2)) return {};
  // The number of accesses to each cache line from which sorting pays, in halves. Measured.
  const std::int64_t halves = !gathers ? 3 : caches().large_second() ? 2 : 4;
  // Slots past the capacity are sorted and put back like the others, but cost almost nothing in an unsorted gather.
  const std::int64_t in_vain = gathers && !caches().large_second() ? sample.past_capacity(count) : 0;
  const bool dense = 2 * (std::min(count, most_sorted(bytes)) - in_vain) >= halves * lines;
  if (!dense && (count < lines / 4 || !on_small_pages(all.table, bytes))) return {};
  const auto region_rows = static_cast<std::uint64_t>(region_bytes(dense, gathers) / all.row_bytes);
  int shift = static_cast<int>(std::bit_width(region_rows)) - 1;
  const auto regions = [&] { return static_cast<std::int64_t>((all.capacity - 1) >> shift) + 1; };
  while (regions() > Bins::most_regions) ++shift;
  if (all.row_bytes << shift > caches().last / 2) return {};
  return {shift, static_cast<int>(regions()), dense};
}

bool gather_by_region(const ByRegion& call) {
  const Job job(call);
  Sorted sorted(job, false);
  if (sorted.empty()) return false;
  for (std::int64_t begin = 0; begin < job.move.count; begin += job.chunk()) {
    if (!sorted.sort(begin)) return false;
    sorted.each_block([](Move& one) {
      one.data = static_cast<std::byte*>(const_cast<void*>(one.slots));  // values overwrite their slots
      kernels().gather[0](one);
    });
    share(job.parts, [&](int i) { put_back(job, job.part(begin, i), sorted.part(i)); });
  }
  return true;
}

bool scatter_by_region(const ByRegion& call, MoveLoop loop) {
  const Job job(call);
  Sorted sorted(job, true);
  if (sorted.empty()) return false;
  for (std::int64_t begin = 0; begin < job.move.count; begin += job.chunk()) {
    if (!sorted.sort(begin)) return false;
    sorted.each_block([loop](Move& one) {
      one.paired = true, one.data_stride = 8;
      loop(one);
    });
  }
  return true;
}

}  // namespace ptox
