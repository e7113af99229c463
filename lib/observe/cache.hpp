// SPDX-License-Identifier: Apache-2.0
// The bytes of global memory for which a data cache and memory may differ.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/data_cache.hpp"
#include "observe/range_map.hpp"
#include "pto/isa/effect.hpp"

namespace ptox {

/// Cache lines by number.
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

/// The data caches of a launch's cores. The scalar unit and SIMT lanes go through them, DMA does not: `dcci` writes a
/// line back and drops it, `dsb` waits until that is done.
class CacheWatch {
 public:
  static constexpr std::uint64_t line_bytes = cache_line_bytes;

  /// One access to global memory, by a core's cache or past it.
  struct Use {
    int core;
    bool cached;  ///< by the scalar unit or SIMT lanes
    bool atomic;  ///< done in memory, by one core after another
    pto::instr::Access access;
    std::uint32_t who;
    /// What is there, in memory or in the cache; atomics see to that themselves.
    bool reads() const {
      return access == pto::instr::Access::read || (access == pto::instr::Access::update && !atomic);
    }
  };
  /// What is wrong with it: whose bytes it misses.
  struct Stale {
    enum class Kind : std::uint8_t { fresh, not_written_back, kept_too_long } kind = Kind::fresh;
    int core = -1;
    std::uint32_t who = 0;
    explicit operator bool() const { return kind != Kind::fresh; }
  };
  Stale see(const Use& use, std::uint64_t begin, std::uint64_t end);

  void clean_line(int core, std::uint64_t address) { of(core).pending.push_back(address / line_bytes); }
  void clean_all(int core) { of(core).pending_epoch = ++of(core).epoch; }
  /// What was cleaned before is in memory now.
  void publish(int core);
  /// The block is over: it reads nothing more.
  void done(int core) { holding_.erase(core); }

 private:
  /// Bytes in a cache that memory has not got, unless the epoch has been published since.
  struct Dirty {
    int core = -1;
    std::uint32_t who = 0;
    bool atomic = false;
    std::uint32_t epoch = 0;
    bool operator==(const Dirty&) const = default;
  };
  /// Bytes that memory got while a core's cache held their line.
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
  std::map<int, LineSet> holding_;  ///< of blocks that are not over
  RangeMap<Dirty> dirty_;
  RangeMap<Passed> passed_;
};

}  // namespace ptox
