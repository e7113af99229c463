// SPDX-License-Identifier: Apache-2.0
#include "bench/memory.hpp"

#include <sys/mman.h>

#include <new>

namespace ptox::bench {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

Region::Region(std::int64_t bytes, Pages pages)
    : mapped_bytes_((static_cast<std::size_t>(bytes) + 2 * huge_page) & ~(huge_page - 1)), bytes_(bytes) {
  void* place = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  mapped_ = place;
  // The advice fails on systems without such pages; the output of a run names the system's setting.
  madvise(mapped_, mapped_bytes_, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  const auto address = (reinterpret_cast<std::uintptr_t>(mapped_) + huge_page - 1) & ~(huge_page - 1);
  data_ = reinterpret_cast<std::byte*>(address);
}

Region& Region::operator=(Region&& other) noexcept {
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Region::~Region() {
  if (mapped_) munmap(mapped_, mapped_bytes_);
}

}  // namespace ptox::bench
