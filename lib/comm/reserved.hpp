// SPDX-License-Identifier: Apache-2.0
// Reserved addresses that stand for bytes of other ranks and cannot be dereferenced.
#pragma once

#include <cstddef>
#include <optional>

#include "comm/engine.hpp"

namespace ptox::comm {

/// Address space that is neither readable nor writable, a slot a rank, for memory that the engine does not map.
class Reserved {
 public:
  Reserved() = default;
  ~Reserved();
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

  /// Takes the address space, once. Throws std::system_error when there is none left.
  void reserve(int ranks, std::size_t each = std::size_t{64} << 30);
  bool any() const { return base_ != nullptr; }

  /// Null: the offset lies past the rank's slot.
  std::byte* address(int rank, std::size_t offset) const;
  std::optional<Place> locate(const void* at) const;

 private:
  std::byte* base_ = nullptr;
  std::size_t slot_ = 0, ranks_ = 0;
};

}  // namespace ptox::comm
