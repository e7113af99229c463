// SPDX-License-Identifier: Apache-2.0
// Allocates and adopts global memory, and registers its extents.
#include <sys/mman.h>

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "engine/core/core.hpp"
#include "engine/launch/accelerator.hpp"
#include "engine/memory/checked_bytes.hpp"
#include "engine/memory/registry.hpp"
#include "ptox/device.hpp"

namespace ptox {

namespace {

constexpr std::size_t page_threshold = std::size_t{1} << 20;
constexpr std::align_val_t alignment{512};  // the alignment on the machines; more than a cache line of the host

void* zeroed(std::size_t bytes) {
  if (bytes >= page_threshold) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
  }
  void* p = ::operator new(bytes ? bytes : 1, alignment, std::nothrow);
  if (p) std::memset(p, 0, bytes);
  return p;
}

}  // namespace

void* detail::gm_alloc(std::int64_t count, std::size_t element_bytes, const Target& target) {
  const std::size_t bytes = checked_bytes("alloc", count, element_bytes);
  void* p = target.accelerator ? accelerator().allocate(bytes + red_zone_bytes) : zeroed(bytes + red_zone_bytes);
  if (!p) throw std::invalid_argument("alloc: the host has no " + std::to_string(bytes) + " bytes left");
  if (target.accelerator) remember_accelerator_memory(p);
  Registry::instance().add(p, bytes, false);
  return p;
}

bool detail::gm_free(void* p) noexcept {
  if (!p) return true;
  // Queued instructions and dirty cache lines may still refer to the memory.
  if (in_launch()) current_core().schedule().drain(), current_core().cache().clean_all();
  const auto known = Registry::instance().find(p);
  if (!known || known->adopted || known->begin != reinterpret_cast<std::uintptr_t>(p)) return false;
  const auto extent = Registry::instance().remove(p);
  if (is_accelerator_memory(p)) return forget_accelerator_memory(p), accelerator().free(p), true;
  if (extent->bytes + red_zone_bytes >= page_threshold)
    munmap(p, extent->bytes + red_zone_bytes);
  else
    ::operator delete(p, alignment);
  return true;
}

void Device::adopt_bytes(const void* data, std::int64_t count, std::size_t element_bytes) {
  const std::size_t bytes = checked_bytes("adopt", count, element_bytes);
  if (!data) throw std::invalid_argument("adopt: data is a null pointer, count is " + std::to_string(count));
  const auto known = Registry::instance().find(data);
  if (known && !known->adopted) {
    if (reinterpret_cast<std::uintptr_t>(data) + bytes <= known->begin + known->bytes) return;
    throw std::invalid_argument("adopt: " + std::to_string(bytes) + " bytes reach past an allocation of " +
                                std::to_string(known->bytes) + " bytes");
  }
  Registry::instance().add(data, bytes, true);
}

void Device::forget(const void* data) {
  const auto known = Registry::instance().find(data);
  if (known && known->adopted && known->begin == reinterpret_cast<std::uintptr_t>(data))
    Registry::instance().remove(data);
}

}  // namespace ptox
