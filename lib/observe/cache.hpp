// SPDX-License-Identifier: Apache-2.0
// Tracks the bytes of global memory for which a data cache and memory may differ.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "engine/memory/data_cache.hpp"
#include "observe/range_map.hpp"
#include "pto/isa/effect.hpp"

namespace ptox {

/// A set of cache lines by number.
class LineSet {
 public:
  void add(std::uint64_t line) { pages_[line / 64] |= std::uint64_t{1} << line % 64; }
  void remove(std::uint64_t line) {
    if (const auto it = pages_.find(line / 64); it != pages_.end()) it->second &= ~(std::uint64_t{1} << line % 64);
  }
  bool has(std::uint64_t line) const {
    const auto it = pages_.find(line / 64);
    return it != pages_.end() && (it->second >> line % 64 & 1);
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;
};

/// Tracks the data caches of a launch's cores. The scalar unit and SIMT lanes access memory through them, DMA engines
/// do not. `dcci` writes a line back and invalidates it, `dsb` waits until that is done.
class CacheWatch {
 public:
  static constexpr std::uint64_t line_bytes = cache_line_bytes;

  /// One access to global memory, through a core's cache or past it.
  struct Use {
    int core;
    bool cached;  ///< through the cache: by the scalar unit or SIMT lanes
    bool atomic;  ///< performed in memory, serialised between cores
    pto::instr::Access access;
    std::uint32_t who;
    /// Whether it is a read or a non-atomic update. Atomics read memory and never the cache.
    bool reads() const {
      return access == pto::instr::Access::read || (access == pto::instr::Access::update && !atomic);
    }
  };
  /// Why an access sees stale bytes, the core whose cache is the reason, and the instruction that wrote the newer ones.
  struct Stale {
    enum class Kind : std::uint8_t { fresh, not_written_back, kept_too_long } kind = Kind::fresh;
    int core = -1;
    std::uint32_t who = 0;
    std::uint64_t at = 0;  ///< the first stale byte
    explicit operator bool() const { return kind != Kind::fresh; }
  };
  Stale see(const Use& use, std::uint64_t begin, std::uint64_t end);

  void clean_line(int core, std::uint64_t address) { of(core).pending.push_back(address / line_bytes); }
  void clean_all(int core) { of(core).pending_epoch = ++of(core).epoch; }
  /// What was cleaned before is now in memory: the effect of `dsb`.
  void publish(int core);
  /// Ends a block, which reads nothing more.
  void done(int core) { holding_.erase(core); }

 private:
  /// Bytes in a cache that are not in memory yet. Out of date if `epoch` is before the clean_epoch of the core.
  struct Dirty {
    int core = -1;
    std::uint32_t who = 0;
    bool atomic = false;
    std::uint32_t epoch = 0;
    bool operator==(const Dirty&) const = default;
  };
  /// Bytes that were written to memory past the caches while a core's cache held their line.
  struct Passed {
    int core = -1;
    std::uint32_t who = 0;
    std::uint32_t epoch = 0;
    bool operator==(const Passed&) const = default;
  };
  struct Cache {
    std::uint32_t epoch = 0, pending_epoch = 0, clean_epoch = 0;
    std::vector<std::uint64_t> pending;
  };
  Cache& of(int core) { return caches_[core]; }
  Stale not_written_back(const Use& use, std::uint64_t begin, std::uint64_t end);
  Stale kept_too_long(const Use& use, std::uint64_t begin, std::uint64_t end);
  void store(const Use& use, std::uint64_t begin, std::uint64_t end);
  void pass_caches(const Use& use, std::uint64_t begin, std::uint64_t end);

  std::map<int, Cache> caches_;
  std::map<int, LineSet> holding_;  ///< lines in the caches of blocks that have not ended
  RangeMap<Dirty> dirty_;
  RangeMap<Passed> passed_;
};

}  // namespace ptox
