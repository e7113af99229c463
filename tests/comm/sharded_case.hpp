// SPDX-License-Identifier: Apache-2.0
// Compares a call on a sharded table with a local call that has the concatenated indices of all ranks.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "comm/on_ranks.hpp"
#include "comm/unmapped.hpp"
#include "host/ops_values.hpp"
#include "ptox/sharded.hpp"

namespace comm_test {

using ptox::Random;
using ptox::Rank;
using ptox::Rows;
using ptox::Sharded;
using std::int64_t;

/// How ranks access each other's memory: an engine, or threads on simulated nodes that do not map each other's memory.
struct Way {
  const char* name;
  ptox::Engine engine;
  int node_ranks;  ///< ranks per simulated node; 0: all memory is mapped
};
#ifdef PTOX_TESTS_ON_MPI
inline constexpr Way ways[] = {{"mpi", ptox::Engine::mpi, 0}};
#else
inline constexpr Way ways[] = {{"threads", ptox::Engine::threads, 0},
                               {"processes", ptox::Engine::processes, 0},
                               {"unmapped", ptox::Engine::threads, 1},
                               {"nodes of 2", ptox::Engine::threads, 2}};
#endif

template <class F>
void run_way(const Way& way, int n, F f, const ptox::RanksOptions& options = {}) {
  way.node_ranks == 0 ? run_on(n, way.engine, f, options) : run_unmapped(n, f, options, way.node_ranks);
}

/// The sizes and options of one call.
struct ShardedForm {
  int64_t rows = 7, width = 5;
  int64_t most = 20;  ///< maximum number of indices of a rank
  int64_t gap = 0;    ///< elements between the rows of out and src
  int64_t window_bytes = 1;
  bool by_row = true;
  std::uint64_t seed = 1;
};
inline std::ostream& operator<<(std::ostream& out, const ShardedForm& f) {
  return out << f.rows << " rows of " << f.width << " + " << f.gap << ", up to " << f.most << " indices, window "
             << f.window_bytes << (f.by_row ? ", by row" : ", by element") << ", seed " << f.seed;
}

/// A random index: below the capacity, or (unless `in_range`) sometimes an edge value.
template <class I>
I any_index(Random& random, int64_t capacity, bool in_range) {
  const I edges[] = {static_cast<I>(-1),
                     std::numeric_limits<I>::min(),
                     std::numeric_limits<I>::max(),
                     static_cast<I>(std::numeric_limits<std::int32_t>::min()),
                     static_cast<I>(std::numeric_limits<std::int32_t>::max()),
                     static_cast<I>(capacity - 1),
                     static_cast<I>(capacity),
                     static_cast<I>(capacity + 1)};
  if (in_range || random.below(3) != 0)
    return static_cast<I>(random.below(static_cast<std::uint64_t>(std::max<int64_t>(capacity, 1))));
  return edges[random.below(std::size(edges))];
}

/// The data of all ranks. Every rank generates the same data from the seed.
template <class T, class I>
struct Everything {
  ShardedForm form;
  std::vector<T> table;
  std::vector<std::vector<I>> idx;
  std::vector<std::vector<T>> moved;

  int64_t width() const { return form.by_row ? form.width : 1; }
  int64_t stride() const { return form.by_row ? form.width + form.gap : 1; }
  int64_t capacity() const { return form.by_row ? form.rows : form.rows * form.width; }

  Everything(int ranks, const ShardedForm& f, bool in_range) : form(f) {
    Random random(f.seed);
    table.resize(static_cast<std::size_t>(f.rows * f.width));
    for (T& v : table) v = ptox::ops_test::any_value<T>(random);
    for (int r = 0; r < ranks; ++r) {
      const bool none = (in_range && capacity() == 0) || random.below(5) == 0;
      const auto count = static_cast<int64_t>(none ? 0 : random.below(static_cast<std::uint64_t>(f.most + 1)));
      auto& indices = idx.emplace_back(static_cast<std::size_t>(count));
      for (I& i : indices) i = any_index<I>(random, capacity(), in_range);
      auto& rows = moved.emplace_back(static_cast<std::size_t>(count * stride()));
      for (T& v : rows) v = ptox::ops_test::any_value<T>(random);
    }
  }

  /// The indices (below: the rows) of all ranks, concatenated.
  std::vector<I> all_idx() const {
    std::vector<I> all;
    for (const auto& one : idx) all.insert(all.end(), one.begin(), one.end());
    return all;
  }
  std::vector<T> all_moved() const {
    std::vector<T> all;
    for (const auto& one : moved) all.insert(all.end(), one.begin(), one.end());
    return all;
  }
  Rows<T> rows(std::vector<T>& data, std::size_t count) const {
    return {data.data(), static_cast<int64_t>(count), width(), stride()};
  }
  /// Initialises this rank's rows of the sharded table from `table`.
  void fill(const Sharded<T>& sharded) const {
    const Rows<T> mine = sharded.local();
    for (int64_t i = 0; i < mine.rows * mine.width; ++i)
      mine.data[i] = table[static_cast<std::size_t>(sharded.first() * mine.width + i)];
  }
};

template <class T>
bool same_bytes(const T* a, const T* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(T)) == 0;
}

template <class T, class I>
void check_sharded_gather(Rank& r, const ShardedForm& form, pto::GatherOOB oob) {
  Everything<T, I> all(r.size(), form, oob == pto::GatherOOB::Undefined);
  if (all.capacity() == 0 && oob != pto::GatherOOB::Zero)
    for (int k = 0; k < r.size(); ++k) all.idx[static_cast<std::size_t>(k)].clear();
  const Sharded<T> table(r, form.rows, form.width, {.window_bytes = form.window_bytes});
  all.fill(table);
  const auto me = static_cast<std::size_t>(r.id());
  const std::vector<I>& idx = all.idx[me];
  std::vector<T> expected = all.moved[me], actual = expected;
  expected.resize(idx.size() * static_cast<std::size_t>(all.stride())), actual.resize(expected.size());
  const ptox::GatherOptions options{.oob = oob};
  if (form.by_row) {
    ptox::gather_rows(Rows<const T>{all.table.data(), form.rows, form.width}, idx, all.rows(expected, idx.size()),
                      options);
    ptox::gather_rows(table, idx, all.rows(actual, idx.size()), options);
  } else {
    ptox::gather(all.table, idx, expected, options);
    ptox::gather(table, idx, actual, options);
  }
  EXPECT_TRUE(same_bytes(expected.data(), actual.data(), expected.size()))
      << "rank " << r.id() << " of " << r.size() << ", elements of " << sizeof(T) << ", " << pto::instr::name(oob)
      << ", " << form;
}

template <class T, class I>
void check_sharded_scatter(Rank& r, const ShardedForm& form, pto::ScatterAtomicOp op, pto::ScatterOOB oob) {
  Everything<T, I> all(r.size(), form, oob == pto::ScatterOOB::Undefined);
  if (all.capacity() == 0 && oob != pto::ScatterOOB::Skip)
    for (std::size_t k = 0; k < all.idx.size(); ++k) all.idx[k].clear(), all.moved[k].clear();
  const Sharded<T> table(r, form.rows, form.width, {.window_bytes = form.window_bytes});
  all.fill(table);
  const auto me = static_cast<std::size_t>(r.id());
  std::vector<I> idx = all.all_idx();
  std::vector<T> src = all.all_moved(), expected = all.table;
  const ptox::ScatterOptions options{.op = op, .oob = oob};
  if (form.by_row) {
    ptox::scatter_rows(Rows<T>{expected.data(), form.rows, form.width}, idx, all.rows(src, idx.size()), options);
    ptox::scatter_rows(table, all.idx[me], all.rows(all.moved[me], all.idx[me].size()), options);
  } else {
    ptox::scatter(expected, idx, src, options);
    ptox::scatter(table, all.idx[me], all.moved[me], options);
  }
  const Rows<T> mine = table.local();
  const auto count = static_cast<std::size_t>(mine.rows * mine.width);
  const T* theirs = expected.data() + table.first() * mine.width;
  if (op == pto::ScatterAtomicOp::Add) ptox::ops_test::take_nans(mine.data, theirs, count);
  EXPECT_TRUE(same_bytes(mine.data, theirs, count))
      << "rank " << r.id() << " of " << r.size() << ", elements of " << sizeof(T) << ", " << pto::instr::name(op)
      << ", " << pto::instr::name(oob) << ", " << form;
}

}  // namespace comm_test
