// SPDX-License-Identifier: Apache-2.0
// Global memory as the scalar unit and the SIMT lanes of a core see it through their data cache.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace ptox {

/// What is fetched, cleaned and dropped at once, on both machines.
inline constexpr std::uintptr_t cache_line_bytes = 128;

/// A core's data cache: keeps what was read and written through it until it is cleaned. It never evicts, and it keeps
/// only bytes of allocations that are known, for others may be gone when they are written back.
class DataCache {
 public:
  void read(std::byte* to, const std::byte* from, std::size_t n);
  void write(std::byte* to, const std::byte* from, std::size_t n);
  /// Writes the line at the address back and drops it.
  void clean(const std::byte* at);
  void clean_all();
  /// Memory got these bytes past the cache, which keeps what it had and will not write it back.
  void passed(const std::byte* at, std::size_t n);

 private:
  static constexpr std::uintptr_t line_bytes = cache_line_bytes;
  struct Line {
    std::byte bytes[line_bytes];
    std::bitset<line_bytes> held, dirty;
  };
  using Lines = std::unordered_map<std::uintptr_t, Line>;
  static void write_back(const Lines::value_type& line);
  /// Calls visit(line, first byte in it, part, bytes before it) for each line of [at, at + n).
  template <class V>
  void each_line(const std::byte* at, std::size_t n, V&& visit);

  Lines lines_;
};

/// The cache that work meets, if any, and whether it goes through it.
struct CacheView {
  DataCache* cache = nullptr;
  bool through = false;
};

}  // namespace ptox
