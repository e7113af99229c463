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

#include "comm/sharded/agreement.hpp"
#include "host/ops_checks.hpp"
#include "host/slots.hpp"
#include "ptox/sharded.hpp"

namespace ptox::detail {

/// The distribution of rows over ranks: rank r owns block r. An element is a row of one element.
struct Layout {
  std::int64_t rows, row_bytes, block;

  std::int64_t begin(int rank) const { return std::min(rows, rank * block); }
  std::int64_t count(int rank) const { return begin(rank + 1) - begin(rank); }
  /// Whether the number of a row in its block needs 64 bits.
  bool wide() const { return block > std::int64_t{std::numeric_limits<std::uint32_t>::max()}; }
  std::int64_t slot_bytes() const { return wide() ? 8 : 4; }
};

/// Computes the owner of a row, row / block, by multiplication with a reciprocal where that is exact.
class Owners {
 public:
  explicit Owners(const Layout& l)
      : block_(static_cast<std::uint64_t>(l.block)),
        reciprocal_(l.rows <= std::int64_t{1} << 32 && l.block > 1 ? ~std::uint64_t{0} / block_ + 1 : 0) {}
  /// Precondition: `row` is less than the number of rows of the table.
  std::size_t of(std::uint64_t row) const {
    return reciprocal_ ? static_cast<std::uint64_t>(static_cast<unsigned __int128>(reciprocal_) * row >> 64)
                       : row / block_;
  }
  std::uint64_t block() const { return block_; }

 private:
  std::uint64_t block_, reciprocal_;
};

/// A buffer in symmetric memory for `items` slots and as many rows, which other ranks write.
struct Window {
  std::size_t slots, rows;  ///< the offsets of the first slot and the first row
  std::int64_t items;
  std::int64_t slot_bytes, row_bytes;

  std::size_t slot(std::int64_t i) const { return slots + static_cast<std::size_t>(i * slot_bytes); }
  std::size_t row(std::int64_t i) const { return rows + static_cast<std::size_t>(i * row_bytes); }
};

/// All rows that are scattered to one owner form one queue, ordered by the rank that sends them: the position of the
/// first row of one sender, and the number of rows in the queue.
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

  /// The address of a rank's block; null if this rank accesses it by put and get only.
  std::byte* block_of(int rank) const { return member_.fabric().address(rank, place_); }
  bool mapped(int rank) const { return block_of(rank) != nullptr; }
  /// The rows or elements of a rank; the address is null if they are not mapped.
  RowsView view(int rank, bool by_row) const;
  /// The whole table as one view without an address, for checks that use sizes only.
  RowsView whole(bool by_row) const;

  /// Announces that `bytes` are about to be read or written anywhere in the table. When the total exceeds four times
  /// this rank's block, and the block exceeds the last-level cache, the block is moved to huge pages, once. `after` is
  /// called after each 64 MiB of that.
  void use_often(std::int64_t bytes, const std::function<void()>& after);

  /// The number of threads of a call: `asked` if it is positive, otherwise this rank's share of the machine.
  int threads(int asked) const;
  /// The window, divided into items for rows of this layout. The first call allocates it and is collective.
  Window window(const Layout& layout);
  /// The offset to which an owner writes this rank's Queue.
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
  std::int64_t used_ = 0;  ///< bytes that were used so far; the maximum of its type after the move to huge pages
};

/// One call on a distributed table, with the operands of this rank.
class ShardedCall {
 public:
  /// `terms` has the options; the constructor adds the sizes of the table.
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
  /// Publishes how many rows are done, which extends the deadline of ranks that wait in a barrier.
  void tell(std::int64_t rows) const { member().fabric().progress(op(), rows, idx.count); }

  /// Throws if options or operands are invalid; does not read the indices.
  void check(const GatherOptions& o) const { check_options(name_.c_str(), o), check_operands_here(); }
  void check(const ScatterOptions& o, pto::instr::DType dtype) const {
    check_options(name_.c_str(), o, dtype), check_operands_here();
  }
  /// The slots of the whole table that the indices name. Throws std::out_of_range like slots_of.
  Slots slots(pto::instr::OutOfRange policy) const;

 private:
  void check_operands_here() const;
  Call as_call(const RowsView& part) const;

  std::string name_;  ///< of the call and the rank, for messages
};

}  // namespace ptox::detail
