// SPDX-License-Identifier: Apache-2.0
// The expected result of every collective at every rank, computed by a formula. Cases are descriptors, so no template
// is instantiated per shape.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/memory/combine.hpp"
#include "pto/comm/all.hpp"
#include "ptox/ranks.hpp"

namespace comm_test {

using pto::instr::DType;
using pto::instr::TensorDesc;
using pto::instr::TileDesc;
using std::int64_t;

enum class Kind { scatter, gather, broadcast, reduce_sum, reduce_max, reduce_min, put, put_add, get };
inline constexpr Kind kinds[] = {Kind::scatter,    Kind::gather, Kind::broadcast, Kind::reduce_sum, Kind::reduce_max,
                                 Kind::reduce_min, Kind::put,    Kind::put_add,   Kind::get};
inline const char* name(Kind k) {
  constexpr const char* names[] = {"scatter",    "gather", "broadcast", "reduce_sum", "reduce_max",
                                   "reduce_min", "put",    "put_add",   "get"};
  return names[static_cast<int>(k)];
}

/// Extents of the block of one rank and of the valid region of the staging tile.
struct Form {
  int64_t outer[3] = {1, 1, 1};
  int64_t h = 4, w = 24, row_gap = 0, outer_gap = 0, surplus = 0;
  int64_t tile_rows = 4, tile_cols = 24;
  bool dynamic = true, pong = false;

  int64_t outers() const { return outer[0] * outer[1] * outer[2]; }
  int64_t row() const { return w + row_gap; }
  int64_t plane(int64_t rows) const { return rows * row() + outer_gap; }
  int64_t elements(int64_t rows) const { return outers() * plane(rows); }
  /// The offset of element (o, i, j); o is the linear index of the outer dimensions.
  int64_t at(int64_t rows, int64_t o, int64_t i, int64_t j) const { return o * plane(rows) + i * row() + j; }

  TensorDesc tensor(void* base, DType d, int64_t rows) const {
    TensorDesc t{.dtype = d, .static_block = false, .base = base};
    for (int k = 0; k < 3; ++k) t.shape[k] = outer[k];
    t.shape[3] = rows, t.shape[4] = w;
    t.stride[4] = 1, t.stride[3] = row(), t.stride[2] = plane(rows);
    t.stride[1] = outer[2] * t.stride[2], t.stride[0] = outer[1] * t.stride[1];
    return t;
  }
  TileDesc tile(DType d, int number) const {
    constexpr int64_t padded_rows = 8, padded_cols = 32;
    return {.dtype = d,
            .rows = padded_rows,
            .cols = padded_cols,
            .valid_rows = tile_rows,
            .valid_cols = tile_cols,
            .offset = number * padded_rows * padded_cols * pto::instr::size_of(d)};
  }
  pto::comm::detail::Staging staging(DType d, int first = 0) const {
    return {{tile(d, first), tile(d, first + 1)}, pong ? 2 : 1, dynamic, dynamic};
  }
};

struct Case {
  Kind kind;
  DType dtype;
  Form form;
  int root = 0;
};

inline std::string text(const Case& c) {
  const Form& f = c.form;
  return std::string(name(c.kind)) + " " + pto::instr::name(c.dtype) + " h " + std::to_string(f.h) + " w " +
         std::to_string(f.w) + " outer " + std::to_string(f.outers()) + (f.dynamic ? " dynamic" : " static") +
         (f.pong ? " ping-pong" : "") + " root " + std::to_string(c.root);
}

/// Blocks that fit into the tile, and blocks that are divided by rows, by columns, and by both. For static tiles the
/// block extents are multiples of the tile extents.
inline std::vector<Form> forms() {
  std::vector<Form> all;
  int n = 0;
  for (bool dynamic : {false, true})
    for (bool cut_rows : {false, true})
      for (bool cut_cols : {false, true}) {
        Form f{.dynamic = dynamic, .pong = n % 2 == 0};
        f.h = cut_rows ? (dynamic ? 10 : 12) : (dynamic ? 3 : 4);
        f.w = cut_cols ? (dynamic ? 53 : 48) : (dynamic ? 19 : 24);
        f.row_gap = n % 3 == 0 ? 5 : 0, f.outer_gap = n % 5 == 1 ? 7 : 0, f.surplus = n % 4;
        if (n % 2 == 1) f.outer[0] = 2, f.outer[2] = 1 + n % 3;
        ++n;
        all.push_back(f);
      }
  Form none{.h = 0}, together{.outer = {2, 1, 2}, .h = 1, .dynamic = false};
  all.push_back(none), all.push_back(together);
  return all;
}

inline bool sums(Kind k) {
  return k == Kind::reduce_sum || k == Kind::reduce_max || k == Kind::reduce_min || k == Kind::put_add;
}
/// Whether the target supports the case: 8-bit floats can be moved but not added, and store-add has its own list of
/// types.
inline bool taken(const ptox::Target& t, const Case& c) {
  if (c.kind == Kind::put_add) return t.store_add_dtypes.has(c.dtype);
  return !sums(c.kind) || ptox::target::nine.has(c.dtype);
}

/// Writes element i of a rank: deterministic bytes, or a small number. Every rank can compute the values of the others.
inline void fill(std::byte* to, DType d, int rank, int64_t i, bool number) {
  const auto mixed = static_cast<std::uint64_t>(i * 2654435761 + rank * 40503 + 12345);
  if (!number) return void(std::memcpy(to, &mixed, static_cast<std::size_t>(pto::instr::size_of(d))));
  pto::instr::with_type(d, [&]<class T>() {
    const T value = static_cast<T>(static_cast<float>(mixed / 7 % 9));
    std::memcpy(to, &value, sizeof value);
  });
}
inline void fill_all(std::byte* to, DType d, int rank, int64_t count, bool number) {
  for (int64_t i = 0; i < count; ++i) fill(to + i * pto::instr::size_of(d), d, rank, i, number);
}

/// Owns the tensors of a group during a call.
struct Group {
  std::vector<TensorDesc> tensors;
  pto::comm::detail::Tensors operator()(int root) const {
    const auto get = [](const void* array, int r) { return static_cast<const TensorDesc*>(array)[r]; };
    return {tensors.data(), get, static_cast<int>(tensors.size()), root};
  }
};

inline constexpr int64_t most_bytes = 1 << 18;

/// The memory of one rank while cases run.
class World {
 public:
  explicit World(ptox::Rank& r)
      : rank_(r), block_(r.symmetric<std::byte>(most_bytes)), own_(r.device().alloc<std::byte>(most_bytes)) {}

  void run(const Case& c) {
    SCOPED_TRACE(text(c) + " on rank " + std::to_string(rank_.id()) + " of " + std::to_string(rank_.size()));
    const Form& f = c.form;
    own_rows_ = (c.kind == Kind::scatter || c.kind == Kind::gather ? rank_.size() : 1) * f.h +
                (c.kind == Kind::put || c.kind == Kind::get || c.kind == Kind::put_add ? 0 : f.surplus);
    watched_ = f.elements(own_rows_ + f.h) * pto::instr::size_of(c.dtype) + 64;  // plus bytes that must stay unchanged
    ASSERT_LE(watched_, most_bytes);
    for (std::byte* p : {block_.data(), own_.data()}) std::memset(p, 0, static_cast<std::size_t>(watched_));
    fill_all(block_.data(), c.dtype, rank_.id(), f.elements(f.h), sums(c.kind));
    fill_all(own_.data(), c.dtype, 100 + rank_.id(), f.elements(own_rows_), sums(c.kind));
    rank_.barrier();
    call(c);
    rank_.barrier();
    check(c);
    rank_.barrier();
  }

 private:
  int other(int root) const { return (root + 1) % rank_.size(); }

  void call(const Case& c) {
    const bool mine = c.kind == Kind::put_add || rank_.id() == c.root;
    if (!mine) return;
    const ptox::Report report = rank_.device().launch({}, [&] { issue(c); });
    EXPECT_TRUE(report.clean()) << report;
  }

  void issue(const Case& c) {
    using namespace pto::comm;
    const Form& f = c.form;
    Group group;
    for (int k = 0; k < rank_.size(); ++k) group.tensors.push_back(f.tensor(block_.at(k), c.dtype, f.h));
    const TensorDesc own = f.tensor(own_.data(), c.dtype, own_rows_);
    const auto site = pto::instr::Site::current();
    const auto reduce = [&](ReduceOp op) {
      detail::reduce(group(c.root), own, f.tile(c.dtype, 2), f.staging(c.dtype), op, site);
    };
    switch (c.kind) {
      case Kind::scatter:
        return detail::scatter(group(c.root), own, f.staging(c.dtype), site);
      case Kind::gather:
        return detail::gather(group(c.root), own, f.staging(c.dtype), site);
      case Kind::broadcast:
        return detail::broadcast(group(c.root), own, f.staging(c.dtype), site);
      case Kind::reduce_sum:
        return reduce(ReduceOp::Sum);
      case Kind::reduce_max:
        return reduce(ReduceOp::Max);
      case Kind::reduce_min:
        return reduce(ReduceOp::Min);
      case Kind::put:
        return detail::put(group.tensors[static_cast<std::size_t>(other(c.root))], own, f.staging(c.dtype),
                           pto::AtomicType::AtomicNone, site);
      case Kind::put_add:
        return detail::put(group.tensors[static_cast<std::size_t>(c.root)], own, f.staging(c.dtype),
                           pto::AtomicType::AtomicAdd, site);
      case Kind::get:
        return detail::get(own, group.tensors[static_cast<std::size_t>(other(c.root))], f.staging(c.dtype), site);
    }
  }

  using Bytes = std::vector<std::byte>;
  Bytes filled(DType d, int who, int64_t count, bool number) const {
    Bytes b(static_cast<std::size_t>(watched_));
    fill_all(b.data(), d, who, count, number);
    return b;
  }
  /// Copies element n of one block to element m of another, or combines them.
  static void take(const Case& c, Bytes& to, int64_t m, const Bytes& from, int64_t n,
                   pto::ScatterAtomicOp op = pto::ScatterAtomicOp::None) {
    const int64_t size = pto::instr::size_of(c.dtype);
    pto::instr::with_type(c.dtype, [&]<class T>() {
      ptox::apply<T>(op, &to[static_cast<std::size_t>(m * size)], &from[static_cast<std::size_t>(n * size)]);
    });
  }
  template <class F>
  void each(const Case& c, F&& f) const {
    for (int64_t o = 0; o < c.form.outers(); ++o)
      for (int64_t i = 0; i < c.form.h; ++i)
        for (int64_t j = 0; j < c.form.w; ++j) f(o, i, j);
  }

  void check(const Case& c) {
    const Form& f = c.form;
    const bool number = sums(c.kind), root = rank_.id() == c.root;
    const auto block_of = [&](int r) { return filled(c.dtype, r, f.elements(f.h), number); };
    const auto own_of = [&](int r) { return filled(c.dtype, 100 + r, f.elements(own_rows_), number); };
    Bytes block = block_of(rank_.id()), own = own_of(rank_.id());
    const auto block_at = [&](int64_t o, int64_t i, int64_t j) { return f.at(f.h, o, i, j); };
    const auto own_at = [&](int64_t o, int64_t i, int64_t j) { return f.at(own_rows_, o, i, j); };
    if (c.kind == Kind::scatter || c.kind == Kind::broadcast) {
      const Bytes source = own_of(c.root);
      const int64_t first = c.kind == Kind::scatter ? rank_.id() * f.h : 0;
      each(c, [&](auto o, auto i, auto j) { take(c, block, block_at(o, i, j), source, own_at(o, first + i, j)); });
    } else if (c.kind == Kind::gather && root) {
      for (int r = 0; r < rank_.size(); ++r) {
        const Bytes theirs = block_of(r);
        each(c, [&](auto o, auto i, auto j) { take(c, own, own_at(o, r * f.h + i, j), theirs, block_at(o, i, j)); });
      }
    } else if (c.kind == Kind::get && root) {
      const Bytes theirs = block_of(other(c.root));
      each(c, [&](auto o, auto i, auto j) { take(c, own, own_at(o, i, j), theirs, block_at(o, i, j)); });
    } else if (c.kind == Kind::put && rank_.id() == other(c.root)) {
      const Bytes theirs = own_of(c.root);
      each(c, [&](auto o, auto i, auto j) { take(c, block, block_at(o, i, j), theirs, own_at(o, i, j)); });
    } else if (c.kind == Kind::put_add && root) {
      for (int r = 0; r < rank_.size(); ++r) {
        const Bytes theirs = own_of(r);
        each(c, [&](auto o, auto i, auto j) {
          take(c, block, block_at(o, i, j), theirs, own_at(o, i, j), pto::ScatterAtomicOp::Add);
        });
      }
    } else if (root && number && c.kind != Kind::put_add) {
      constexpr pto::ScatterAtomicOp ops[] = {pto::ScatterAtomicOp::Add, pto::ScatterAtomicOp::Max,
                                              pto::ScatterAtomicOp::Min};
      const auto op = ops[static_cast<int>(c.kind) - static_cast<int>(Kind::reduce_sum)];
      for (int r = 0; r < rank_.size(); ++r) {
        const Bytes theirs = block_of(r);
        each(c, [&](auto o, auto i, auto j) {
          take(c, own, own_at(o, i, j), theirs, block_at(o, i, j), r == 0 ? pto::ScatterAtomicOp::None : op);
        });
      }
    }
    const auto bytes = static_cast<std::size_t>(watched_);
    EXPECT_EQ(std::memcmp(block_.data(), block.data(), bytes), 0) << "what the rank has";
    EXPECT_EQ(std::memcmp(own_.data(), own.data(), bytes), 0) << "what is the rank's own";
  }

  ptox::Rank& rank_;
  ptox::Symmetric<std::byte> block_;
  ptox::Buffer<std::byte> own_;
  int64_t own_rows_ = 0, watched_ = 0;
};

/// Runs every kind, dtype and form; the root is a different rank in each case.
inline void run_all_cases(ptox::Rank& r, int every = 1) {
  World world(r);
  int number = 0;
  for (Kind kind : kinds)
    for (DType d : pto::instr::all_dtypes)
      for (const Form& form : forms()) {
        const Case c{kind, d, form, number % r.size()};
        if (!taken(r.device().target(), c) || number++ % every) continue;
        world.run(c);
        if (::testing::Test::HasFailure()) return r.barrier();
      }
}

}  // namespace comm_test
