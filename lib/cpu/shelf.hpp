// SPDX-License-Identifier: Apache-2.0
// Temporary memory for calls, kept between them so that its pages are not faulted in each time.
#pragma once

#include <cstddef>
#include <utility>

namespace ptox {

/// So many bytes, at a page's beginning, of anything; null where the system has none. They go onto a shelf, from which
/// a later call takes them: pages anew cost more than what is done in them. Some hundred megabytes stay there; of more
/// than that the system may take the memory back.
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
