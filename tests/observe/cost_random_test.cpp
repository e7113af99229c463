// SPDX-License-Identifier: Apache-2.0
// The counted work of any gather or scatter agrees with a plain loop over its lanes.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "engine/issue/machine.hpp"
#include "launched.hpp"
#include "observe/cost.hpp"
#include "random/layout.hpp"

namespace ptox::random_test {
namespace {

struct Counted {
  Work work;
  Cost cost;
  pipe_t pipe = PIPE_S;
};

template <class I>
Counted counted(const typename I::Operands& o) {
  Machine m(current_core(), pto::instr::Site::current());
  std::vector<pto::instr::Effect> effects;
  I::effects(m, o, [&](const pto::instr::Effect& e) { effects.push_back(e); });
  const Work work = work_of<I>(m.target(), o, effects);
  return {work, cost_of(m.target(), data_pipe(effects), work), data_pipe(effects)};
}

Counted counted(const Case& c, const Plan& p) {
  const Outcome bytes = before(c);
  Device dev(*c.target, {Check::off});
  auto gm = dev.alloc<std::uint8_t>(p.gm_bytes);
  Counted result;
  require_clean(dev.launch({}, [&] {
    std::memcpy(pto::instr::detail::address(pto::TileType::Vec, 0, p.ub_bytes), bytes.ub.data(), bytes.ub.size());
    result = c.scatter ? counted<pto::instr::Mscatter>(scatter_operands(c, p, gm.data() + p.table_at))
                       : counted<pto::instr::Mgather>(gather_operands(c, p, gm.data() + p.table_at));
  }));
  return result;
}

/// The byte offset in the table of each lane that moves data, by row.
std::vector<std::vector<std::int64_t>> moved(const Case& c, const Plan& p) {
  enum { undefined, drop, clamp, wrap };
  const int scatters[] = {undefined, drop, clamp, wrap}, gathers[] = {undefined, clamp, wrap, drop};
  const int policy = (c.scatter ? scatters : gathers)[c.oob];
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(c.rows));
  for (std::int64_t r = 0; r < c.rows; ++r)
    for (std::int64_t col = 0; col < p.lane_cols; ++col) {
      std::int64_t slot = c.index[static_cast<std::size_t>(c.row ? r : r * c.cols + col)];
      if (slot >= p.capacity) {
        if (p.capacity == 0 || policy == undefined || policy == drop) continue;
        slot = policy == clamp ? p.capacity - 1 : slot % p.capacity;
      }
      rows[static_cast<std::size_t>(r)].push_back(p.table_byte(c, slot, c.row ? col : 0));
    }
  return rows;
}

struct Lines {
  std::int64_t each = 0;
  std::set<std::int64_t> all;
  void access(const std::vector<std::int64_t>& bytes, std::size_t from) {
    std::set<std::int64_t> lines;
    for (std::size_t i = from; i < bytes.size() && i < from + 32; ++i) lines.insert(bytes[i] / 128);
    each += static_cast<std::int64_t>(lines.size());
    all.insert(lines.begin(), lines.end());
  }
};

/// The cache lines that warps access: a warp covers 32 columns of a row (Row) or any 32 elements (Elem).
Lines lines_of(const Case& c, const std::vector<std::vector<std::int64_t>>& rows) {
  std::vector<std::vector<std::int64_t>> runs = rows;
  if (!c.row) {
    runs.assign(1, {});
    for (const auto& r : rows) runs[0].insert(runs[0].end(), r.begin(), r.end());
  }
  Lines lines;
  for (const auto& run : runs)
    for (std::size_t i = 0; i < run.size(); i += 32) lines.access(run, i);
  return lines;
}

TEST(cost, counts_of_random_cases_agree_with_a_plain_loop) {
  Random random(99);
  for (int i = 0; i < 3000; ++i) {
    const Case c = random_case(random);
    if (c.target->native) continue;
    const Plan p(c);
    const Counted n = counted(c, p);
    const auto rows = moved(c, p);
    std::int64_t lanes = 0;
    for (const auto& r : rows) lanes += static_cast<std::int64_t>(r.size());
    ASSERT_EQ(n.work.lanes, lanes) << c;
    ASSERT_EQ(n.work.lanes + n.work.skipped, c.rows * p.lane_cols) << c;
    ASSERT_EQ(n.work.gm_bytes(), lanes * p.size) << c;
    ASSERT_GT(n.cost.scalar, 0u) << c;
    ASSERT_LT(n.cost.scalar + n.cost.pipe, 100'000'000u) << c;
    if (n.pipe != PIPE_V) continue;
    const Lines lines = lines_of(c, rows);
    ASSERT_EQ(n.work.lines, lines.each) << c;
    ASSERT_EQ(n.work.distinct_lines, static_cast<std::int64_t>(lines.all.size())) << c;
    ASSERT_LE(n.work.queued_lines, n.work.lines) << c;
    ASSERT_GE(n.cost.pipe, 1100u) << c;
  }
}

}  // namespace
}  // namespace ptox::random_test
