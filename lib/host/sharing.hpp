// SPDX-License-Identifier: Apache-2.0
// Divides a call on whole tensors into parts and shares them among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "engine/core/core.hpp"
#include "engine/system/pool.hpp"
#include "loops/caches.hpp"

namespace ptox {

/// The amount of work of a call: `count` rows are moved between a table and an array. An element is a row of its size.
struct CallWork {
  std::int64_t count, row_bytes, table_bytes;

  std::int64_t bytes() const { return 2 * count * row_bytes + 4 * count; }
  /// An estimate of the time that one thread takes: picoseconds for each element or cache line of a row, by the
  /// smallest cache that holds the table and the rows. Measured by `./ptox bench rare w1 w3` on the AMD EPYC of
  /// docs/performance.md; on the slower machines there it takes up to three times as long.
  std::int64_t estimated_ns() const {
    constexpr std::int64_t element_ps[] = {400, 500, 4000}, line_ps[] = {1000, 1500, 4000};  // L2, L3, memory
    const std::int64_t all = table_bytes + count * row_bytes;
    const int cache = all <= caches().second ? 0 : all <= caches().last ? 1 : 2;
    return row_bytes <= 8 ? count * element_ps[cache] / 1000 : count * ((row_bytes + 63) / 64) * line_ps[cache] / 1000;
  }
};

/// The number of parts into which a call is divided: `threads`, or if that is 0 the number of cores that no other call
/// uses; fewer where a part would be too small. A call from a block of a launch is one part, because the other blocks
/// use the other threads.
inline int parts_of(int threads, const CallWork& work) {
  constexpr std::int64_t least_bytes = 512 << 10;  // of a part, if the caller chose the number of threads
  // A thread that sleeps takes 60 us to wake (`./ptox bench rare`); a part that is worth less than 1.5 times that stays
  // on the calling thread.
  constexpr std::int64_t least_ns = 90'000;
  if (in_launch() || threads == 1) return 1;
  if (threads > 0) return static_cast<int>(std::clamp<std::int64_t>(work.bytes() / least_bytes, 1, threads));
  const int idle = most_threads() - threads_at_work.load(std::memory_order_relaxed);
  return static_cast<int>(std::clamp<std::int64_t>(work.estimated_ns() / least_ns, 1, std::max(1, idle)));
}

/// Calls part(i) once for each part, on `threads` threads, but not more than there are cores.
template <class Part>
void share(int parts, int threads, Part&& part) {
  struct AtWork {
    int threads;
    explicit AtWork(int n) : threads(n) { threads_at_work.fetch_add(n, std::memory_order_relaxed); }
    AtWork(const AtWork&) = delete;
    ~AtWork() { threads_at_work.fetch_sub(threads, std::memory_order_relaxed); }
  };
  const AtWork count(parts == 1 ? 1 : launch_threads(threads, 0));
  if (parts == 1) return part(0);
  struct Work {
    Part& part;
    int parts;
    std::atomic<int> next{0};
  } work{part, parts};
  run_on_threads(
      count.threads,
      [](void* self, int) {
        auto& w = *static_cast<Work*>(self);
        for (int i; (i = w.next.fetch_add(1)) < w.parts;) w.part(i);
      },
      &work);
}

template <class Part>
void share(int parts, Part&& part) {
  share(parts, parts, part);
}

/// The first item of part `i` when `count` items are divided into `parts`; a multiple of `unit`.
inline std::int64_t part_begin(std::int64_t count, int i, int parts, std::int64_t unit = 64) {
  if (i >= parts) return count;
  return static_cast<std::int64_t>(static_cast<__int128>(count) * i / parts) / unit * unit;
}

}  // namespace ptox
