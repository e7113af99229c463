// SPDX-License-Identifier: Apache-2.0
#include "comm/group/reserved.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace ptox::comm {

Reserved::~Reserved() {
  if (base_) munmap(base_, slot_ * ranks_);
}

void Reserved::reserve(int ranks, std::size_t each) {
  if (base_) return;
  constexpr std::size_t gib = std::size_t{1} << 30;
  ranks_ = static_cast<std::size_t>(ranks);
  for (slot_ = std::min(each, 16384 * gib / ranks_); slot_ >= std::min(each, gib / 4); slot_ /= 2) {
    void* p = mmap(nullptr, slot_ * ranks_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) return void(base_ = static_cast<std::byte*>(p));
  }
  throw std::system_error(errno, std::generic_category(),
                          "run_ranks: addresses for the memory of " + std::to_string(ranks) + " ranks");
}

std::byte* Reserved::address(int rank, std::size_t offset) const {
  return offset < slot_ ? base_ + static_cast<std::size_t>(rank) * slot_ + offset : nullptr;
}

std::optional<Place> Reserved::locate(const void* at) const {
  const auto offset = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(base_);
  if (!base_ || offset >= slot_ * ranks_) return std::nullopt;
  return Place{static_cast<int>(offset / slot_), offset % slot_};
}

}  // namespace ptox::comm
