// SPDX-License-Identifier: Apache-2.0
// The rows of a distributed table that each rank owns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "comm/agreement.hpp"
#include "cpu/ops_checks.hpp"
#include "cpu/slots.hpp"
#include "ptox/sharded.hpp"

namespace ptox::detail {

/// Rows, or elements as rows of one, in blocks: rank r has block r.
struct Layout {
  std::int64_t rows, row_bytes, block;

  std::int64_t begin(int rank) const { return std::min(rows, rank * block); }
  std::int64_t count(int rank) const { return begin(rank + 1) - begin(rank); }
  /// Whether a row's place in its block takes 64 bits.
  bool wide() const { return block > std::int64_t{std::numeric_limits<std::uint32_t>::max()}; }
  std::int64_t slot_bytes() const { return wide() ? 8 : 4; }
};

/// Divides row numbers by the block: by a product where that is exact.
class Owners {
 public:
  explicit Owners(const Layout& l)
      : block_(static_cast<std::uint64_t>(l.block)),
        reciprocal_(l.rows <= std::int64_t{1} << 32 && l.block > 1 ? ~std::uint64_t{0} / block_ + 1 : 0) {}
  /// Of a row below the table's rows.
  std::size_t of(std::uint64_t row) const {
    return reciprocal_ ? static_cast<std::uint64_t>(static_cast<unsigned __int128>(reciprocal_) * row >> 64)
                       : row / block_;
  }
  std::uint64_t block() const { return block_; }

 private:
  std::uint64_t block_, reciprocal_;
};

/// Symmetric memory for `items` slots and as many rows, on their way.
struct Window {
  std::size_t slots, rows;  ///< where each begins
  std::int64_t items;
  std::int64_t slot_bytes, row_bytes;

  std::size_t slot(std::int64_t i) const { return slots + static_cast<std::size_t>(i * slot_bytes); }
  std::size_t row(std::int64_t i) const { return rows + static_cast<std::size_t>(i * row_bytes); }
};

/// All rows that are scattered to one owner stand in one queue, rank by rank: where a rank's begin, and how many rows
/// there are.
struct Queue {
  std::int64_t begin, length;
};

class Shards {
 public:
  Shards(comm::Member& member, std::int64_t rows, std::int64_t width, std::int64_t element_bytes,
         const ShardedOptions& options);

  comm::Member& member() const { return member_; }
  comm::Agreement& agreement() { return agreement_; }
  const Layout& rows() const { return rows_; }
  Layout layout(bool by_row) const;
  std::int64_t width() const { return width_; }
  std::int64_t element_bytes() const { return element_bytes_; }

  /// A rank's block as this one addresses it; null: by put and get only.
  std::byte* block_of(int rank) const { return member_.fabric().address(rank, place_); }
  bool mapped(int rank) const { return block_of(rank) != nullptr; }
  /// A rank's rows, or elements; the address is null where it is not mapped.
  RowsView view(int rank, bool by_row) const;
  /// The whole table in one view, for what asks about sizes alone.
  RowsView whole(bool by_row) const;

  /// So many bytes are about to be read or written anywhere in the table: one that is used often moves to huge pages,
  /// once. Calls `after` now and then.
  void use_often(std::int64_t bytes, const std::function<void()>& after);

  /// The threads of a call: what was asked for, or this rank's part of the machine.
  int threads(int asked) const;
  /// The window, cut into items of such rows; made by the first call that needs it, on all ranks at once.
  Window window(const Layout& layout);
  /// Where each owner tells this rank of its queue.
  std::size_t queue(int owner) const { return queues_ + static_cast<std::size_t>(owner) * sizeof(Queue); }

 private:
  std::int64_t block_bytes() const;

  comm::Member& member_;
  std::int64_t width_, element_bytes_, window_bytes_;
  Layout rows_;
  std::size_t place_;
  comm::Agreement agreement_;
  std::size_t queues_;
  std::size_t window_ = 0;
  bool has_window_ = false;
  std::int64_t used_ = 0;  ///< bytes, until it was moved
};

/// One call on such a table, as it is made at this rank.
class ShardedCall {
 public:
  /// `terms` has the options; the rest of it is filled in here.
  ShardedCall(Shards& table, const IndexView& idx, const RowsView& moved, comm::Terms terms, int threads);

  Shards& table;
  const IndexView& idx;
  const RowsView& moved;
  comm::Terms terms;
  int threads;
  Layout layout;
  Owners owners;

  comm::Member& member() const { return table.member(); }
  int ranks() const { return member().size(); }
  const char* op() const { return terms.name(); }
  std::int64_t moved_stride() const { return (moved.rows > 1 ? moved.stride : moved.width) * moved.size; }
  /// Tells whoever waits that so many rows are done.
  void tell(std::int64_t rows) const { member().fabric().progress(op(), rows, idx.count); }

  /// Throws what is wrong with options and operands, whatever the indices are.
  void check(const GatherOptions& o) const { check_options(name_.c_str(), o), check_operands_here(); }
  void check(const ScatterOptions& o, pto::instr::DType dtype) const {
    check_options(name_.c_str(), o, dtype), check_operands_here();
  }
  /// The slots of the whole table; throws as they do.
  Slots slots(pto::instr::OutOfRange policy) const;

 private:
  void check_operands_here() const;
  Call as_call(const RowsView& part) const;

  std::string name_;  ///< with the rank, for what is thrown
};

}  // namespace ptox::detail
