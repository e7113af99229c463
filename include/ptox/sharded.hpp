// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters of a table whose rows are distributed over ranks.
#pragma once

#include <cstdint>
#include <memory>

#include "ptox/ops.hpp"
#include "ptox/ranks.hpp"

namespace ptox {

/// `window_bytes`: the buffer that a rank allocates for incoming rows, at the first call that needs it. 0: the size of
/// its part of the table, between 16 and 256 MiB. If more rows are sent to a rank, they are sent in several rounds.
struct ShardedOptions {
  std::int64_t window_bytes = 0;
};

namespace detail {

class Shards;
/// Throws std::invalid_argument when a size is negative or the bytes need more than 63 bits.
std::shared_ptr<Shards> make_shards(const Rank& rank, std::int64_t rows, std::int64_t width, std::int64_t element_bytes,
                                    const ShardedOptions& options);
RowsView local_rows(const Shards&);
std::int64_t first_row(const Shards&);
std::int64_t all_rows(const Shards&);

void gather_rows(Shards& table, const IndexView& idx, const RowsView& out, const GatherOptions&);
void gather(Shards& table, const IndexView& idx, const RowsView& out, const GatherOptions&);
void scatter_rows(Shards& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
                  const ScatterOptions&);
void scatter(Shards& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype, const ScatterOptions&);

}  // namespace detail

/// A table whose rows are distributed over the ranks of a group in blocks of equal size, the last ones with fewer rows
/// or none. It is in symmetric memory, zeroed, and exists as long as the group. Copies refer to the same table. All
/// ranks construct it with the same sizes.
template <class T>
class Sharded {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  Sharded(const Rank& rank, std::int64_t rows, std::int64_t width = 1, const ShardedOptions& options = {})
      : shards_(detail::make_shards(rank, rows, width, sizeof(T), options)) {}

  std::int64_t rows() const { return detail::all_rows(*shards_); }
  std::int64_t width() const { return detail::local_rows(*shards_).width; }
  /// The rows of this rank, which may be filled or read between the calls below.
  Rows<T> local() const {
    const detail::RowsView v = detail::local_rows(*shards_);
    return {reinterpret_cast<T*>(v.data), v.rows, v.width, v.stride};
  }
  /// The number of the first local row in the whole table.
  std::int64_t first() const { return detail::first_row(*shards_); }

  detail::Shards& shards() const { return *shards_; }

 private:
  std::shared_ptr<detail::Shards> shards_;
};

/// The calls of ops.hpp for a distributed table. They are collective: every rank of the group makes them, each with its
/// own indices and rows, whose number may differ. The result is, bit for bit, that of one call whose indices are those
/// of rank 0, then of rank 1 and so on. An error at one rank (an index out of range under Undefined, sizes that do not
/// agree) is thrown by every rank, with that rank's number, before anything is written; so is a call that differs
/// between ranks. If a rank does not arrive, the group ends with RanksError. `threads` 0: the cores of this machine
/// divided by the ranks on it.
template <class T, detail::Indices Idx, detail::Writable U>
  requires detail::SameElement<T, U>
void gather_rows(const Sharded<T>& table, const Idx& idx, Rows<U> out, GatherOptions options = {}) {
  detail::gather_rows(table.shards(), detail::indices(idx), detail::view(out), options);
}

/// out[i] = element idx[i] of the table; its elements are numbered row by row.
template <class T, detail::Indices Idx, detail::Contiguous Out>
  requires detail::SameElement<T, detail::ElementOf<Out>> && detail::Writable<detail::ElementOf<Out>>
void gather(const Sharded<T>& table, const Idx& idx, Out&& out, GatherOptions options = {}) {
  detail::gather(table.shards(), detail::indices(idx), detail::elements(out), options);
}

template <class T, detail::Indices Idx, class U>
  requires detail::SameElement<T, U>
void scatter_rows(const Sharded<T>& table, const Idx& idx, Rows<U> src, ScatterOptions options = {}) {
  detail::scatter_rows(table.shards(), detail::indices(idx), detail::view(src), detail::dtype<T>(), options);
}

template <class T, detail::Indices Idx, detail::Contiguous Src>
  requires detail::SameElement<T, detail::ElementOf<const Src>>
void scatter(const Sharded<T>& table, const Idx& idx, const Src& src, ScatterOptions options = {}) {
  detail::scatter(table.shards(), detail::indices(idx), detail::elements(src), detail::dtype<T>(), options);
}

}  // namespace ptox
