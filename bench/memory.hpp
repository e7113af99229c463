// SPDX-License-Identifier: Apache-2.0
// Buffers on huge pages or on pages of 4 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ptox::bench {

enum class Pages { huge, small };

/// Zeroed memory that starts at a huge page, 2 MiB. The kind of pages is advised to the system. Throws std::bad_alloc.
class Region {
 public:
  Region() = default;
  explicit Region(std::int64_t bytes, Pages pages = Pages::huge);
  Region(Region&& other) noexcept { *this = std::move(other); }
  Region& operator=(Region&& other) noexcept;
  ~Region();

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace ptox::bench
