// SPDX-License-Identifier: Apache-2.0
#include "observe/launch_time.hpp"

#include <algorithm>
#include <utility>

#include "observe/hints.hpp"
#include "observe/trace.hpp"

namespace ptox {

LaunchTime joined(std::vector<BlockTime> blocks) {
  if (blocks.empty() || !blocks[0].target) return {};
  std::sort(blocks.begin(), blocks.end(), [](const BlockTime& a, const BlockTime& b) { return a.block < b.block; });
  const BlockTime& last = *std::max_element(blocks.begin(), blocks.end(),
                                            [](const BlockTime& a, const BlockTime& b) { return a.end < b.end; });
  LaunchTime t;
  t.total = last.end;
  t.s = last.busy[PIPE_S], t.v = last.busy[PIPE_V], t.mte2 = last.busy[PIPE_MTE2], t.mte3 = last.busy[PIPE_MTE3];
  t.hints = hints_of(last);
  const std::string target = last.target->name;
  t.trace = std::make_shared<Trace>(target, std::move(blocks));
  return t;
}

namespace {

/// Appends to `all`, or to a copy of it if other reports share it.
void append(std::shared_ptr<Trace>& all, const Trace& next, std::uint64_t begin) {
  if (!all) all = std::make_shared<Trace>(next.target());
  if (all.use_count() > 1) all = std::make_shared<Trace>(*all);
  all->append(next, begin);
}

}  // namespace

void add(LaunchTime& sum, LaunchTime next) {
  constexpr std::size_t most_hints = 20;
  if (next.trace) append(sum.trace, *next.trace, sum.total);
  sum.total += next.total;
  sum.s += next.s, sum.v += next.v, sum.mte2 += next.mte2, sum.mte3 += next.mte3;
  for (std::string& hint : next.hints)
    if (sum.hints.size() < most_hints && std::find(sum.hints.begin(), sum.hints.end(), hint) == sum.hints.end())
      sum.hints.push_back(std::move(hint));
}

std::string trace_json(const LaunchTime& time, const std::string& target) {
  return time.trace ? time.trace->json() : Trace(target).json();
}

}  // namespace ptox
