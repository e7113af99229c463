// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/data_cache.hpp"

#include <algorithm>
#include <cstring>

#include "engine/memory/registry.hpp"

namespace ptox {

template <class V>
void DataCache::each_line(const std::byte* at, std::size_t n, V&& visit) {
  for (std::size_t done = 0; done < n;) {
    const auto address = reinterpret_cast<std::uintptr_t>(at) + done;
    const std::size_t first = address % line_bytes, part = std::min(n - done, line_bytes - first);
    visit(lines_[address / line_bytes], first, part, done);
    done += part;
  }
}

void DataCache::read(std::byte* to, const std::byte* from, std::size_t n) {
  if (!Registry::instance().find(from)) return void(std::memcpy(to, from, n));
  each_line(from, n, [&](Line& line, std::size_t first, std::size_t part, std::size_t done) {
    for (std::size_t i = 0; i < part; ++i) {
      if (!line.held[first + i]) line.bytes[first + i] = from[done + i], line.held[first + i] = true;
      to[done + i] = line.bytes[first + i];
    }
  });
}

void DataCache::write(std::byte* to, const std::byte* from, std::size_t n) {
  if (!Registry::instance().find(to)) return void(std::memcpy(to, from, n));
  each_line(to, n, [&](Line& line, std::size_t first, std::size_t part, std::size_t done) {
    for (std::size_t i = 0; i < part; ++i)
      line.bytes[first + i] = from[done + i], line.held[first + i] = line.dirty[first + i] = true;
  });
}

void DataCache::passed(const std::byte* at, std::size_t n) {
  for (std::size_t i = 0; i < n && !lines_.empty(); ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(at) + i;
    if (const auto it = lines_.find(address / line_bytes); it != lines_.end())
      it->second.dirty[address % line_bytes] = false;
  }
}

void DataCache::write_back(const Lines::value_type& line) {
  auto* memory = reinterpret_cast<std::byte*>(line.first * line_bytes);
  for (std::size_t i = 0; i < line_bytes; ++i)
    if (line.second.dirty[i]) memory[i] = line.second.bytes[i];
}

void DataCache::clean(const std::byte* at) {
  const auto it = lines_.find(reinterpret_cast<std::uintptr_t>(at) / line_bytes);
  if (it == lines_.end()) return;
  write_back(*it);
  lines_.erase(it);
}

void DataCache::clean_all() {
  for (const auto& line : lines_) write_back(line);
  lines_.clear();
}

}  // namespace ptox
