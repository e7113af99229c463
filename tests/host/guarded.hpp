// SPDX-License-Identifier: Apache-2.0
// Memory between guard pages, so that an access before its first or after its last byte faults.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "engine/system/random.hpp"

namespace ptox::ops_test {

/// Pages between two inaccessible guard pages. A payload starts directly behind the first guard page or ends directly
/// before the second. The remaining bytes of the pages are compared as well.
class Guarded {
 public:
  enum class Place { begin, end };

  Guarded(std::size_t bytes, std::uint64_t seed) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (bytes + page - 1) / page * page;
    whole_ = size_ + 2 * page;
    void* at = mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::runtime_error("mmap failed");
    mapping_ = static_cast<std::byte*>(at);
    first_ = mapping_ + page;
    protect(PROT_READ | PROT_WRITE);
    Random random(seed);
    for (std::size_t i = 0; i + 8 <= size_; i += 8) {
      const std::uint64_t word = random.next();
      std::memcpy(first_ + i, &word, 8);
    }
  }
  Guarded(const Guarded&) = delete;
  ~Guarded() { munmap(mapping_, whole_); }

  void read_only() {
    if (!read_only_) protect(PROT_READ);
    read_only_ = true;
  }

  template <class T>
  T* payload(Place place, std::size_t bytes) {
    return reinterpret_cast<T*>(place == Place::begin ? first_ : first_ + size_ - bytes);
  }
  std::vector<std::byte> bytes() const { return {first_, first_ + size_}; }
  bool holds(const std::vector<std::byte>& expected) const { return std::memcmp(first_, expected.data(), size_) == 0; }
  std::size_t offset(const void* p) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - first_);
  }
  void restore(const std::vector<std::byte>& before) { std::memcpy(first_, before.data(), size_); }

 private:
  void protect(int how) {
    if (mprotect(first_, size_, how) != 0) throw std::runtime_error("mprotect failed");
  }
  std::byte *mapping_ = nullptr, *first_ = nullptr;
  std::size_t size_ = 0, whole_ = 0;
  bool read_only_ = false;
};

}  // namespace ptox::ops_test
