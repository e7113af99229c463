// SPDX-License-Identifier: Apache-2.0
// Checker and transitive closure agree on random programs, and ordered programs give the same result with every seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "bad/parts.hpp"
#include "engine/system/random.hpp"
#include "mutation/oracle.hpp"

namespace ptox::mutation {
namespace {

using namespace pto;
using corpus::Index8;
using corpus::Matrix;
using corpus::Memory;
using corpus::Rows8;

/// Writes a straight-line program of random instructions on four data tiles and two index tiles, with random flags.
class Writer {
 public:
  Writer(Memory& m, std::uint64_t seed, bool tight) : m_(m), random_(seed), tight_(tight) {}

  void run() {
    for (int k = 0; k < 4; ++k) TASSIGN(tile_[k], 0x400 * k);
    for (int k = 0; k < 2; ++k) TASSIGN(idx_[k], 0x2000 + 0x20 * k);
    TASSIGN(cells_, 0x3000), TASSIGN(cell_idx_, 0x3100);
    for (int n = static_cast<int>(random_.below(24)) + 4; n > 0; --n) {
      work();
      for (std::uint64_t f = random_.below(4); f > 0; --f) flag();
      if (tight_) pipe_barrier(PIPE_ALL);
    }
    for (const auto& [src, dst, id] : open_) wait_flag(src, dst, id);
  }

 private:
  int pick(int n) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(n))); }
  Rows8& tile() { return tile_[pick(4)]; }
  Index8& idx() { return idx_[pick(2)]; }
  Matrix<float, 8, 32> block() { return Matrix<float, 8, 32>((pick(2) ? m_.table : m_.out).data() + 256 * pick(3)); }
  Matrix<float, 64, 32> table() { return Matrix<float, 64, 32>((pick(2) ? m_.table : m_.out).data()); }

  void work() {
    switch (pick(14)) {
      case 0:
      case 1:
        return load();
      case 2:
        return load_index();
      case 3:
        return store();
      case 4:
      case 5:
        return gather();
      case 6:
        return scatter();
      case 7:
        return void(TEXPANDS(tile(), 2.0f));
      case 8:
        return move();
      case 9:
        return scalar();
      case 10:
      case 11:
        return elements();
      case 12:
        return load_cells();
      default:
        return clean();
    }
  }
  void elements() {
    auto all = table();
    if (pick(2)) return void(MGATHER<Coalesce::Elem, GatherOOB::Clamp>(cells_, all, cell_idx_));
    if (pick(2))
      return void(MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Clamp>(all, cells_, cell_idx_));
    MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add, ScatterOOB::Clamp>(all, cells_, cell_idx_);
  }
  void load_cells() {
    Matrix<std::int32_t, 8, 8> ids(m_.idx.data());
    Matrix<float, 8, 8> values(m_.table.data());
    if (pick(2))
      TLOAD(cell_idx_, ids);
    else
      TLOAD(cells_, values);
  }
  void clean() {
    dcci(m_.table.data(), ENTIRE_DATA_CACHE);
    dsb(DSB_DDR);
  }
  void load() {
    auto from = block();
    TLOAD(tile(), from);
  }
  void load_index() {
    Matrix<std::int32_t, 1, 8> from(m_.idx.data() + 8 * pick(4));
    TLOAD(idx(), from);
  }
  void store() {
    auto to = block();
    if (pick(3) == 0)
      TSTORE<AtomicType::AtomicAdd>(to, tile());
    else
      TSTORE(to, tile());
  }
  void gather() {
    auto from = table();
    MGATHER<Coalesce::Row, GatherOOB::Clamp>(tile(), from, idx());
  }
  void scatter() {
    auto to = table();
    if (pick(2))
      MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Clamp>(to, tile(), idx());
    else
      MSCATTER<Coalesce::Row, ScatterAtomicOp::None, ScatterOOB::Clamp>(to, tile(), idx());
  }
  void move() {
    const int to = pick(4), from = (to + 1 + pick(3)) % 4;
    TMOV(tile_[to], tile_[from]);
  }
  void scalar() {
    if (pick(2))
      tile().SetValue(pick(256), 1.0f);
    else
      m_.ints[0] = static_cast<std::int32_t>(tile().GetValue(pick(256)) > 0);
  }

  /// Sets a flag that is not set, waits for one that is set, or does both.
  void flag() {
    constexpr std::array<pipe_t, 4> pipes{PIPE_S, PIPE_V, PIPE_MTE2, PIPE_MTE3};
    const int s = pick(4), d = (s + 1 + pick(3)) % 4;
    const Flag f{pipes[static_cast<std::size_t>(s)], pipes[static_cast<std::size_t>(d)], 1 + pick(3)};
    const auto [src, dst, id] = f;
    const auto known = std::find(open_.begin(), open_.end(), f);
    if (known != open_.end()) return wait_flag(src, dst, id), void(open_.erase(known));
    set_flag(src, dst, id);
    if (pick(3) != 0) return wait_flag(src, dst, id);
    open_.push_back(f);
  }

  using Flag = std::tuple<pipe_t, pipe_t, event_t>;
  Memory& m_;
  Random random_;
  bool tight_;
  Rows8 tile_[4];
  Index8 idx_[2];
  corpus::Cells8 cells_;
  corpus::CellIndex8 cell_idx_;
  std::vector<Flag> open_;
};

corpus::Kernel program(std::uint64_t seed, bool tight) {
  return {"program " + std::to_string(seed), corpus::machines, {}, [=](Memory& m) { Writer(m, seed, tight).run(); }};
}

struct Ran {
  Report report;
  std::vector<float> table, out;
};
Ran run(const corpus::Kernel& k, const Target& t, std::uint64_t seed) {
  Device dev(t);
  Memory memory(dev);
  Report r = dev.launch({.seed = seed}, [&] { k.run(memory); });
  return {std::move(r), {memory.table.begin(), memory.table.end()}, {memory.out.begin(), memory.out.end()}};
}

bool races(const Report& r) { return r.has(FindingKind::race) || r.has(FindingKind::atomic_race); }

bool in_order(const corpus::Kernel& k, const Target& t) {
  const Trace trace(k, t);
  const Graph graph(trace.programs()[0]);
  const auto pairs = conflicts_of(trace.blocks()[0]);
  return std::ranges::all_of(pairs, [&](const Conflict& c) { return graph.ordered(c); });
}

TEST(random_programs, race_exactly_where_the_closure_finds_no_order) {
  int ordered = 0, raced = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed)
    for (const Target* t : corpus::machines) {
      const corpus::Kernel k = program(seed, seed % 8 == 0);
      const bool order = in_order(k, *t);
      const Report r = run(k, *t, 0).report;
      ASSERT_NE(races(r), order) << k.name << " on " << t->name << "\n" << r;
      (order ? ordered : raced) += 1;
    }
  EXPECT_GT(ordered, 1000);
  EXPECT_GT(raced, 600);
}

TEST(random_programs, in_order_give_the_same_bytes_under_every_seed) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed)
    for (const Target* t : corpus::machines) {
      const corpus::Kernel k = program(seed, seed % 4 == 0);
      const Ran plain = run(k, *t, 0);
      if (races(plain.report) || plain.report.has(FindingKind::stale_cache)) continue;
      for (const std::uint64_t schedule : {seed, seed + 1, seed + 2}) {
        const Ran other = run(k, *t, schedule);
        ASSERT_FALSE(races(other.report)) << k.name << " on " << t->name << " seed " << schedule << other.report;
        ASSERT_FALSE(other.report.has(FindingKind::stale_cache)) << k.name << " on " << t->name << " seed " << schedule;
        ASSERT_EQ(plain.report.cycles(), other.report.cycles()) << k.name << " on " << t->name;
        ASSERT_TRUE(plain.table == other.table && plain.out == other.out)
            << k.name << " on " << t->name << " " << schedule;
      }
      ++compared;
    }
  EXPECT_GT(compared, 400);
}

TEST(random_programs, that_race_are_found_under_every_seed) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed)
    for (const Target* t : corpus::machines) {
      const corpus::Kernel k = program(seed, false);
      if (!races(run(k, *t, 0).report)) continue;
      for (const std::uint64_t schedule : {seed, seed + 1})
        ASSERT_TRUE(races(run(k, *t, schedule).report)) << k.name << " on " << t->name << " seed " << schedule;
    }
}

}  // namespace
}  // namespace ptox::mutation
