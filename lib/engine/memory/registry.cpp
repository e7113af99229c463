// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/registry.hpp"

#include <map>
#include <mutex>
#include <shared_mutex>

#include "engine/system/at_fork.hpp"

namespace ptox {

namespace {

struct State {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, Extent> extents;
};

// Never destroyed: buffers may be freed after static objects are destroyed.
State& state() {
  static State* s = for_good(&State::mutex);
  return *s;
}

std::uintptr_t key(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

Registry& Registry::instance() {
  static Registry r;
  return r;
}

void Registry::add(const void* begin, std::size_t bytes, bool adopted) {
  std::unique_lock lock(state().mutex);
  for (const auto& [at, known] : state().extents)  // a part of an adopted extent is already registered
    if (adopted && known.adopted && at < key(begin) && key(begin) + bytes <= at + known.bytes) return;
  std::erase_if(state().extents, [&](const auto& known) {  // replaces overlapping adopted extents
    return known.second.adopted && known.first < key(begin) + bytes && key(begin) < known.first + known.second.bytes;
  });
  state().extents[key(begin)] = {key(begin), bytes, adopted};
}

std::optional<Extent> Registry::remove(const void* begin) {
  std::unique_lock lock(state().mutex);
  const auto node = state().extents.extract(key(begin));
  if (node.empty()) return std::nullopt;
  return node.mapped();
}

std::optional<Extent> Registry::find(const void* address) const {
  std::shared_lock lock(state().mutex);
  auto it = state().extents.upper_bound(key(address));
  if (it == state().extents.begin()) return std::nullopt;
  --it;
  if (key(address) - it->second.begin >= it->second.reach()) return std::nullopt;
  return it->second;
}

std::vector<Extent> Registry::all() const {
  std::shared_lock lock(state().mutex);
  std::vector<Extent> extents;
  for (const auto& [begin, extent] : state().extents) extents.push_back(extent);
  return extents;
}

}  // namespace ptox
