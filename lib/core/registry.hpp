// SPDX-License-Identifier: Apache-2.0
// Which allocation holds this address?
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ptox {

struct Extent {
  std::uintptr_t begin;
  std::size_t bytes;
  bool adopted;
};

/// Process-wide and safe to call from any thread. Memory it does not know is not judged.
class Registry {
 public:
  static Registry& instance();
  void add(const void* begin, std::size_t bytes, bool adopted);
  /// Takes an extent out again and returns it.
  std::optional<Extent> remove(const void* begin);
  /// The extent that holds this address, if any.
  std::optional<Extent> find(const void* address) const;
};

}  // namespace ptox
