// SPDX-License-Identifier: Apache-2.0
// Presents the blocks of several ranks as one table, whose slots are multiples of a small unit, counted from the block
// at the lowest address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/sharded/shards.hpp"
#include "loops/kernels.hpp"

namespace ptox::detail {

/// The blocks of a distributed table that this rank maps.
class Reach {
 public:
  explicit Reach(const ShardedCall& call);

  /// Whether slots of this table need 64 bits.
  bool wide() const { return wide_; }
  /// Whether every rank's block is mapped.
  bool whole() const { return whole_; }
  /// The table to gather from. Slots that are not below its capacity stand for rows that are not mapped.
  Move move() const;
  /// Writes the slots of rows to `to`, which has room for 64 bits for each.
  template <class Row>
  void slots(const Row* rows, std::int64_t count, std::byte* to) const {
    wide_ ? slots_as(rows, count, reinterpret_cast<std::uint64_t*>(to))
          : slots_as(rows, count, reinterpret_cast<std::uint32_t*>(to));
  }

 private:
  template <class Row, class Slot>
  void slots_as(const Row* rows, std::int64_t count, Slot* to) const {
    const std::uint64_t capacity = capacity_, step = step_;
    const Part* const parts = parts_.data();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t row = rows[i];
      const Part& part = parts[row < capacity ? owners_.of(row) : parts_.size() - 1];
      to[i] = static_cast<Slot>((row * step + part.shift) | part.none);
    }
  }

  /// Converts rows of one rank's block to slots: slot = (row * step_ + shift) | none. `none` is 0 for a mapped block;
  /// otherwise it has all bits set, which makes the slot invalid.
  struct Part {
    std::uint64_t shift = 0, none = ~std::uint64_t{0};
  };
  Owners owners_;
  std::uint64_t capacity_;
  std::vector<Part> parts_;  ///< by rank; the last one is for rows past the end of the table
  std::byte* base_ = nullptr;
  std::int64_t unit_, row_bytes_;
  std::uint64_t step_;
  bool wide_ = false, whole_ = true;
};

}  // namespace ptox::detail
