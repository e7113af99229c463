// SPDX-License-Identifier: Apache-2.0
#include "observe/cache.hpp"

#include <algorithm>

namespace ptox {

using pto::instr::Access;

CacheWatch::Stale CacheWatch::see(const Use& use, std::uint64_t begin, std::uint64_t end) {
  Stale stale = not_written_back(use, begin, end);
  if (!stale && use.cached && use.reads()) stale = kept_too_long(use, begin, end);
  if (use.cached && !use.atomic)
    for (std::uint64_t line = begin / line_bytes; line * line_bytes < end; ++line) holding_[use.core].add(line);
  if (use.access != Access::read) use.cached ? store(use, begin, end) : pass_caches(use, begin, end);
  return stale;
}

/// Whether an access misses newer bytes that a cache has not written back. Atomics of different cores operate on memory
/// and see each other.
CacheWatch::Stale CacheWatch::not_written_back(const Use& use, std::uint64_t begin, std::uint64_t end) {
  Stale stale;
  if (!use.reads() && (use.cached || use.access != Access::update)) return stale;
  dirty_.each(begin, end, [&](const Dirty& d, std::uint64_t first, std::uint64_t) {
    if (stale || d.core < 0 || (use.cached && d.core == use.core) || d.epoch < of(d.core).clean_epoch) return;
    if (use.access == Access::update && d.atomic) return;
    stale = {Stale::Kind::not_written_back, d.core, d.who, std::max(begin, first)};
  });
  return stale;
}

/// Whether an access reads a line that the core's own cache has held since before memory was changed.
CacheWatch::Stale CacheWatch::kept_too_long(const Use& use, std::uint64_t begin, std::uint64_t end) {
  Stale stale;
  passed_.each(begin, end, [&](const Passed& p, std::uint64_t first, std::uint64_t) {
    const bool held = p.core == use.core && p.epoch >= of(use.core).clean_epoch;
    if (!stale && held) stale = {Stale::Kind::kept_too_long, p.core, p.who, std::max(begin, first)};
  });
  return stale;
}

/// An atomic operates on memory: it neither fetches the line into the cache nor removes what a store left there.
void CacheWatch::store(const Use& use, std::uint64_t begin, std::uint64_t end) {
  const Dirty now{use.core, use.who, use.atomic, of(use.core).epoch};
  dirty_.visit(begin, end, [&](Dirty& d) {
    const bool stored = d.core >= 0 && !d.atomic && d.epoch >= of(d.core).clean_epoch;
    if (!use.atomic || !stored) d = now;
  });
  if (use.atomic) return;
  passed_.change(begin, end, [&](Passed& p) {
    if (p.core == use.core) p = {};
  });
}

void CacheWatch::pass_caches(const Use& use, std::uint64_t begin, std::uint64_t end) {
  if (use.access == Access::write) dirty_.change(begin, end, [](Dirty& d) { d = {}; });
  for (const auto& [core, lines] : holding_)
    for (std::uint64_t line = begin / line_bytes; line * line_bytes < end; ++line)
      if (lines.has(line))
        passed_.visit(std::max(begin, line * line_bytes), std::min(end, (line + 1) * line_bytes),
                      [&, core = core](Passed& p) { p = {core, use.who, of(core).epoch}; });
}

void CacheWatch::publish(int core) {
  Cache& c = of(core);
  if (c.pending_epoch > c.clean_epoch) c.clean_epoch = c.pending_epoch, holding_.erase(core);
  for (const std::uint64_t line : c.pending) {
    dirty_.change(line * line_bytes, (line + 1) * line_bytes, [&](Dirty& d) {
      if (d.core == core) d = {};
    });
    passed_.change(line * line_bytes, (line + 1) * line_bytes, [&](Passed& p) {
      if (p.core == core) p = {};
    });
    if (const auto held = holding_.find(core); held != holding_.end()) held->second.remove(line);
  }
  c.pending.clear();
}

}  // namespace ptox
