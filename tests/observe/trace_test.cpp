// SPDX-License-Identifier: Apache-2.0
// The trace is a valid file for Perfetto.
#include "observe/trace.hpp"

#include <gtest/gtest.h>

#include "observe/launch_time.hpp"
#include "ptox/ptox.hpp"
#include "shell.hpp"

namespace ptox {
namespace {

using pto::instr::Site;

/// A load, a move and a store that depend on each other, with use of the core's buffer.
BlockTime chain(int block, std::size_t most_events = Timeline::most_events) {
  Timeline t;
  t.start(target::a2a3, block, most_events);
  const Site site = Site::current();
  Work work;
  work.gm_read_bytes = 1024, work.rows = 8, work.transfers = 1;
  t.ub_use(1024);
  t.scalar("tload", site, 16, &work);
  t.work(PIPE_MTE2, "tload", site, {16, 1300}, t.now(), &work);
  t.set(PIPE_MTE2, PIPE_V, 3, site, t.now());
  t.wait(PIPE_MTE2, PIPE_V, 3, site, t.now());
  t.work(PIPE_V, "tmov", site, {0, 40}, t.now());
  t.ub_use(2048);
  t.set(PIPE_V, PIPE_MTE3, 8, site, t.now());
  t.wait(PIPE_V, PIPE_MTE3, 8, site, t.now());
  t.work(PIPE_MTE3, "tstore", site, {0, 500}, t.now());
  t.barrier(PIPE_ALL, site);
  t.finish();
  return t.take();
}

Report report(std::vector<BlockTime> blocks) {
  Report r("a2a3", "k", static_cast<int>(blocks.size()), {});
  r.set_time(joined(std::move(blocks)));
  return r;
}

/// Checks the file as a viewer reads it: complete events, slices of a thread that do not overlap, and arrows from a
/// slice to a later one.
constexpr const char* checker = R"(
import json, sys
d = json.load(open(sys.argv[1]))
assert 'estimate' in d['otherData']['time'] and d['otherData']['target'] == 'a2a3', d['otherData']
slices, arrows, names, counters = {}, {}, {}, []
for e in d['traceEvents']:
    key = (e['pid'], e['tid'])
    assert e['pid'] > 0 and e['tid'] > 0
    if e['ph'] == 'X': slices.setdefault(key, []).append((round(e['ts'] * 1000), round(e['dur'] * 1000), e['name'], e['args']))
    elif e['ph'] in 'sf':
        assert isinstance(e['id'], int)
        arrows.setdefault((e['cat'], e['name'], e['id']), {})[e['ph']] = (key, round(e['ts'] * 1000), e.get('bp'))
    elif e['ph'] == 'C': counters.append((e['pid'], e['name'], e['args']['bytes']))
    elif e['ph'] == 'M': names[key + (e['name'],)] = e['args']
    else: assert False, e
for key, list_ in slices.items():
    assert key + ('thread_name',) in names
    list_.sort(key=lambda s: s[0])
    for a, b in zip(list_, list_[1:]): assert a[0] + a[1] <= b[0], (key, a, b)
def inside(key, ts): return any(s[0] <= ts < s[0] + s[1] for s in slices[key])
for ends in arrows.values():
    assert set(ends) == {'s', 'f'} and ends['s'][1] < ends['f'][1] and ends['f'][2] == 'e', ends
    assert inside(*ends['s'][:2]) and inside(*ends['f'][:2]), ends
print(len(arrows), 'arrows', sorted({n['name'] for k, n in names.items() if k[2] == 'thread_name'}),
      sorted({n['name'] for k, n in names.items() if k[2] == 'process_name'}), counters,
      [s[:3] for s in slices[(1, 4)]], slices[(1, 4)][0][3]['bytes'], slices[(1, 4)][0][3]['rows'])
)";

Ended check(const Report& r) {
  const std::string path = ::testing::TempDir() + "trace_test.json", script = ::testing::TempDir() + "trace_test.py";
  r.write_trace(path);
  std::ofstream(script) << checker;
  return shell("python3 " + script + " " + path);
}

TEST(trace, shows_blocks_pipes_arrows_and_ub) {
  const Ended e = check(report({chain(0), chain(1)}));
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_EQ(e.output,
            "4 arrows ['MTE2', 'MTE3', 'S', 'V'] ['a2a3 block 0 (estimate)', 'a2a3 block 1 (estimate)'] "
            "[(1, 'UB', 1024), (1, 'UB', 2048), (2, 'UB', 1024), (2, 'UB', 2048)] "
            "[(0, 1300, 'tload'), (1300, 1, 'set MTE2 to V 3')] 1024 8\n");
}

TEST(trace, says_when_it_is_cut) {
  EXPECT_NE(Trace("a5", {chain(0, 5)}).json().find("\"cut\": \"yes"), std::string::npos);
  EXPECT_NE(Trace("a5", {chain(0)}).json().find("\"cut\": \"no\""), std::string::npos);
}

TEST(trace, launches_follow_one_another_in_time) {
  LaunchTime sum;
  for (int launch = 0; launch < 3; ++launch) add(sum, joined({chain(0), chain(1)}));
  Report r("a2a3", "k", 2, {});
  r.set_time(sum);
  const Ended e = check(r);
  EXPECT_EQ(e.code, 0) << e.output;
  const std::string slices =
      "[(0, 1300, 'tload'), (1300, 1, 'set MTE2 to V 3'), (1844, 1300, 'tload'), (3144, 1, 'set MTE2 to V 3'), (3688, "
      "1300, 'tload'), (4988, 1, 'set MTE2 to V 3')]";
  EXPECT_EQ(sum.total, 3 * 1844u);
  EXPECT_EQ(e.output.find("12 arrows "), 0u) << e.output;
  EXPECT_NE(e.output.find("(1, 'UB', 2048), (2, 'UB', 1024), (2, 'UB', 2048), (1, 'UB', 0), (1, 'UB', 1024)"),
            std::string::npos)
      << e.output;
  EXPECT_NE(e.output.find(slices), std::string::npos) << e.output;
}

TEST(trace, a_launch_that_is_added_leaves_other_holders_alone) {
  LaunchTime sum;
  add(sum, joined({chain(0)}));
  const LaunchTime kept = sum;
  add(sum, joined({chain(0)}));
  EXPECT_EQ(kept.trace->blocks().size(), 1u);
  EXPECT_EQ(sum.trace->blocks().size(), 2u);
}

TEST(trace, the_bound_holds_for_all_launches_together) {
  BlockTime large;
  large.target = &target::a2a3, large.end = 10, large.calls.resize(1);
  large.events.resize(Timeline::most_events - 3);
  LaunchTime sum;
  add(sum, joined({large}));
  EXPECT_NE(sum.trace->json().find("\"cut\": \"no\""), std::string::npos);
  for (int i = 0; i < 3; ++i) add(sum, joined({chain(0)}));
  ASSERT_EQ(sum.trace->blocks().size(), 2u);
  EXPECT_EQ(sum.trace->blocks()[1].events.size(), 3u);
  EXPECT_NE(sum.trace->json().find("\"cut\": \"yes"), std::string::npos);
  EXPECT_EQ(sum.total, 10 + 3 * 1844u) << "time goes on";
}

TEST(trace, of_the_host_is_empty_and_valid) {
  const std::string path = ::testing::TempDir() + "trace_test_empty.json";
  Report("cpu", "k", 1, {}).write_trace(path);
  const Ended e = shell("python3 -m json.tool " + path);
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_NE(e.output.find("\"traceEvents\": []"), std::string::npos) << e.output;
}

TEST(trace, is_the_same_every_time) {
  EXPECT_EQ(Trace("a2a3", {chain(0), chain(1)}).json(), Trace("a2a3", {chain(0), chain(1)}).json());
}

TEST(trace, that_cannot_be_written_is_said) {
  try {
    Report("a5", "k", 1, {}).write_trace("/no/such/folder/t.json");
    FAIL() << "it was written";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "trace: cannot write /no/such/folder/t.json");
  }
}

TEST(trace, is_shared_by_copies_of_a_report) {
  const Report r = report({chain(0)});
  const Report copy = r;
  EXPECT_EQ(copy.time().trace, r.time().trace);
}

}  // namespace
}  // namespace ptox
