// SPDX-License-Identifier: Apache-2.0
// Reserved addresses that stand for bytes of other ranks and cannot be dereferenced.
#pragma once

#include <cstddef>
#include <optional>

#include "comm/group/engine.hpp"

namespace ptox::comm {

/// Address space without access rights, with one slot for each rank, for memory that the engine does not map.
class Reserved {
 public:
  Reserved() = default;
  ~Reserved();
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

  /// Reserves the address space, at most `each` bytes for a rank; later calls have no effect. Throws std::system_error
  /// when none is available.
  void reserve(int ranks, std::size_t each = std::size_t{64} << 30);
  bool any() const { return base_ != nullptr; }

  /// The reserved address for a byte of a rank; null if the offset is past the end of the slot.
  std::byte* address(int rank, std::size_t offset) const;
  std::optional<Place> locate(const void* at) const;

 private:
  std::byte* base_ = nullptr;
  std::size_t slot_ = 0, ranks_ = 0;
};

}  // namespace ptox::comm
