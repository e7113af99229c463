// SPDX-License-Identifier: Apache-2.0
// Presents the blocks of several ranks as one table: rows are slots of a small unit, counted from the lowest address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/shards.hpp"
#include "cpu/kernels.hpp"

namespace ptox::detail {

/// The blocks that this rank maps.
class Reach {
 public:
  explicit Reach(const ShardedCall& call);

  /// Whether slots of this table take 64 bits.
  bool wide() const { return wide_; }
  /// Whether every rank's block is mapped.
  bool whole() const { return whole_; }
  /// Which table to gather from; a slot from its capacity on stands for a row that is not here.
  Move move() const;
  /// The slots of rows, put into `to`, which has room for 64 bits each.
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

  /// A rank's block: how far its slots are from where they would be in one piece.
  struct Part {
    std::uint64_t shift = 0, none = ~std::uint64_t{0};  ///< all ones: it is not here
  };
  Owners owners_;
  std::uint64_t capacity_;
  std::vector<Part> parts_;  ///< by rank, and one for rows past the table
  std::byte* base_ = nullptr;
  std::int64_t unit_, row_bytes_;
  std::uint64_t step_;
  bool wide_ = false, whole_ = true;
};

}  // namespace ptox::detail
