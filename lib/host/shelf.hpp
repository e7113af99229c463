// SPDX-License-Identifier: Apache-2.0
// Temporary memory for calls, kept between them so that its pages are not faulted in each time.
#pragma once

#include <cstddef>
#include <utility>

namespace ptox {

/// Memory of at least `bytes` bytes with undefined contents that starts at a page; begin() is nullptr if the system has
/// none. The destructor keeps the memory for later calls, because faulting in new pages costs more than the work done
/// in them. Some hundred megabytes are kept; the system may reclaim the pages of more than that.
class Lent {
 public:
  Lent() = default;
  explicit Lent(std::size_t bytes);
  ~Lent();
  Lent(Lent&& other) noexcept { swap(other); }
  Lent& operator=(Lent&& other) noexcept {
    swap(other);
    return *this;
  }

  std::byte* begin() const { return place_; }

 private:
  void swap(Lent& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(bytes_, other.bytes_);
  }
  std::byte* place_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace ptox
