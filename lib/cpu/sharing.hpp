// SPDX-License-Identifier: Apache-2.0
// How is one call's work shared among threads?
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "core/core.hpp"
#include "core/pool.hpp"

namespace ptox {

/// How many threads calls are at work on now.
inline std::atomic<int> threads_at_work{0};

/// How many parts a call is cut into: as many as it asks for, else as many as no other call is at work on, fewer where
/// a part would be too small to pay. A call from a block of a launch is one part, for the other blocks have the other
/// threads.
inline int parts_of(int threads, std::int64_t bytes) {
  constexpr std::int64_t least_bytes = 512 << 10;
  if (in_launch() || threads == 1 || bytes < 2 * least_bytes) return 1;
  const auto idle = [] {
    return launch_threads(std::numeric_limits<int>::max(), 0) - threads_at_work.load(std::memory_order_relaxed);
  };
  const int wanted = threads > 0 ? threads : std::max(1, idle());
  return static_cast<int>(std::min<std::int64_t>(bytes / least_bytes, wanted));
}

/// Calls part(i) once for each part, on so many threads, at most as many as there are cores.
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

/// Where part `i` begins of `count` things, at a multiple of `unit`.
inline std::int64_t part_begin(std::int64_t count, int i, int parts, std::int64_t unit = 64) {
  if (i >= parts) return count;
  return static_cast<std::int64_t>(static_cast<__int128>(count) * i / parts) / unit * unit;
}

}  // namespace ptox
