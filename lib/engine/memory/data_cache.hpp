// SPDX-License-Identifier: Apache-2.0
// Global memory as the scalar unit and the SIMT lanes of a core see it through their data cache.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace ptox {

/// The size of a data cache line on both machines: the unit of fetch, write-back and invalidation.
inline constexpr std::uintptr_t cache_line_bytes = 128;

/// Model of a core's data cache. It keeps what was read and written through it until it is cleaned, and never evicts.
/// Only bytes of registered allocations are cached, because other memory may be freed before it is written back.
class DataCache {
 public:
  void read(std::byte* to, const std::byte* from, std::size_t n);
  void write(std::byte* to, const std::byte* from, std::size_t n);
  /// Writes the dirty bytes of the line at the address back and invalidates the line.
  void clean(const std::byte* at);
  void clean_all();
  /// Has to be called after [at, at + n) was written to memory past the cache: cached copies stay, now stale, but are
  /// no longer written back.
  void passed(const std::byte* at, std::size_t n);

 private:
  static constexpr std::uintptr_t line_bytes = cache_line_bytes;
  struct Line {
    std::byte bytes[line_bytes];
    std::bitset<line_bytes> held, dirty;
  };
  using Lines = std::unordered_map<std::uintptr_t, Line>;
  static void write_back(const Lines::value_type& line);
  /// Calls visit(line, offset in the line, bytes, offset from `at`) for each line of [at, at + n).
  template <class V>
  void each_line(const std::byte* at, std::size_t n, V&& visit);

  Lines lines_;
};

/// How an access relates to the data cache: through it, or past it (`cache` alone); nullptr: no cache is modelled.
struct CacheView {
  DataCache* cache = nullptr;
  bool through = false;
};

}  // namespace ptox
