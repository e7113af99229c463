// SPDX-License-Identifier: Apache-2.0
// The checker finds the errors that wrong flags cause in correct kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "mutation/mutants.hpp"
#include "mutation/oracle.hpp"

namespace ptox::mutation {
namespace {

/// Calls visit(name, trace) for each good kernel on each machine model.
template <class V>
void each_trace(V&& visit) {
  for (const corpus::Kernel& k : corpus::good())
    for (const Target* t : k.targets) {
      if (t->native) continue;
      Trace trace(k, *t);
      visit(k.name + " on " + t->name, trace);
    }
}

std::string touches_text(const std::vector<std::vector<Taken>>& blocks) {
  std::ostringstream out;
  for (const auto& block : blocks)
    for (const Taken& t : block) {
      out << "\n" << t.step.block << " " << t.step.mnemonic << " " << t.step.site.line();
      for (const auto& x : t.step.touches)
        out << " " << x.pipe << static_cast<int>(x.access) << x.space << ":" << x.begin << "-" << x.end;
    }
  return out.str();
}

TEST(mutation, good_kernels_replay_as_they_were_recorded) {
  each_trace([](const std::string& name, Trace& trace) {
    Report found;
    const auto again = trace.record_again(found);
    EXPECT_TRUE(found.clean()) << name << "\n" << found;
    EXPECT_EQ(touches_text(again), touches_text(trace.blocks())) << name;
  });
}

TEST(mutation, good_kernels_are_in_order_by_the_closure) {
  each_trace([](const std::string& name, const Trace& trace) {
    for (std::size_t b = 0; b < trace.blocks().size(); ++b) {
      const Graph graph(trace.programs()[b]);
      ASSERT_FALSE(graph.stuck() || graph.reused() || graph.leaks()) << name;
      for (const Conflict& c : conflicts_of(trace.blocks()[b]))
        EXPECT_TRUE(graph.ordered(c)) << name << ": " << text(c, trace.blocks()[b]);
    }
  });
}

TEST(mutation, bad_kernels_that_race_are_out_of_order_by_the_closure) {
  for (const corpus::Kernel& k : corpus::bad())
    for (const Target* t : k.targets) {
      if (t->native || !k.is_about(FindingKind::race) || k.options.blocks > 1) continue;
      const Trace trace(k, *t);
      const Graph graph(trace.programs()[0]);
      const auto pairs = conflicts_of(trace.blocks()[0]);
      EXPECT_FALSE(std::ranges::all_of(pairs, [&](const Conflict& c) { return graph.ordered(c); })) << k.name;
    }
}

/// A text for the steps of a block without global addresses. Of blocks with the same text, only one is mutated.
std::string shape(const std::vector<Taken>& block) {
  std::ostringstream out;
  for (const Taken& t : block) {
    out << t.step.mnemonic << t.step.site.line() << "," << t.step.src << t.step.dst << t.step.id << ":";
    for (const auto& x : t.step.touches)
      out << x.pipe << static_cast<int>(x.access) << x.space << "," << (x.space < 0 ? 0 : x.begin) << "+"
          << x.end - x.begin << " ";
  }
  return out.str();
}

/// A mutant, the order of its accesses by the transitive closure, and the findings of the checker.
struct Case {
  const Mutant& mutant;
  const std::vector<Taken>& block;
  const Graph& graph;
  std::vector<Conflict> lost;  ///< conflicting pairs that are no longer ordered
  Report found;

  bool runs() const { return !graph.stuck() && !graph.reused(); }
  bool broken() const { return !runs() || graph.leaks(); }
  bool changed() const { return runs() && !lost.empty(); }
};

bool is_flag(const Finding& f) {
  return f.kind == FindingKind::flag_deadlock || f.kind == FindingKind::flag_leak ||
         f.kind == FindingKind::flag_reuse || f.kind == FindingKind::flag_id;
}
bool is_race(const Finding& f) { return f.kind == FindingKind::race || f.kind == FindingKind::atomic_race; }

/// Whether a finding is about this pair.
bool names(const Finding& f, const Conflict& c, const std::vector<Taken>& block) {
  const auto is = [&](const Step& at, const Step& other) {
    const std::string* instruction = f.text(FindingField::other);
    const std::int64_t* line = f.number(FindingField::other_line);
    return f.line == at.site.line() && instruction && *instruction == other.mnemonic && line &&
           *line == other.site.line();
  };
  const Step &a = block[c.a].step, &b = block[c.b].step;
  return is(b, a) || is(a, b);
}

bool tells_lost_order(const Finding& f, const Case& c) {
  return is_race(f) && std::ranges::any_of(c.lost, [&](const Conflict& pair) { return names(f, pair, c.block); });
}

bool tells_broken_flag(const Finding& f, const Graph& g) {
  return (f.kind == FindingKind::flag_deadlock && g.stuck()) || (f.kind == FindingKind::flag_reuse && g.reused()) ||
         (f.kind == FindingKind::flag_leak && g.leaks());
}

/// Whether a finding is correct, or may be a consequence of one that is: a repeated set is dropped, and a blocked pipe
/// leaves bytes unwritten.
bool is_due(const Finding& f, const Case& c) {
  if (f.severity == Severity::note || c.graph.reused()) return true;
  if (tells_broken_flag(f, c.graph) || tells_lost_order(f, c)) return true;
  return c.graph.stuck() && !is_race(f) && !is_flag(f);
}

/// An access between the two that may have replaced the record of the first in the checker.
std::string reason(const Conflict& c, const std::vector<Taken>& block) {
  for (std::size_t i = c.a + 1; i < c.b; ++i)
    for (const auto& t : block[i].step.touches)
      if (t.access != pto::instr::Access::read && t.space == c.space && t.begin < c.end && c.begin < t.end)
        return std::string(block[i].step.mnemonic) + " of line " + std::to_string(block[i].step.site.line()) +
               " takes the bytes in between";
  return "nothing writes the bytes in between";
}

struct Count {
  int mutants = 0;
  int lost = 0, as_race = 0;    ///< every wait ends, and a conflicting pair is no longer ordered
  int broken = 0, as_flag = 0;  ///< a wait never ends, a flag is set twice or never waited for
  int unchanged = 0, false_alarms = 0;

  Count& operator+=(const Count& o) {
    mutants += o.mutants, lost += o.lost, as_race += o.as_race, broken += o.broken, as_flag += o.as_flag;
    unchanged += o.unchanged, false_alarms += o.false_alarms;
    return *this;
  }
};

/// Runs all mutants of the given kernels and counts the results by kind.
class Campaign {
 public:
  void run(const std::string& name, Trace& trace) {
    std::set<std::string> seen;
    for (std::size_t b = 0; b < trace.blocks().size(); ++b)
      if (seen.insert(shape(trace.blocks()[b])).second) run_block(name + " block " + std::to_string(b), trace, b);
  }
  Count total() const {
    Count sum;
    for (const auto& [kind, count] : counts_) sum += count;
    return sum;
  }
  std::string text() const { return wrong_.str() + table() + sentence(); }

 private:
  void run_block(const std::string& name, Trace& trace, std::size_t b) {
    const auto& block = trace.blocks()[b];
    const std::vector<Conflict> pairs = conflicts_of(block);
    each_mutant(trace.programs()[b], [&](const Mutant& m) {
      const Graph graph(m.program);
      Case c{m, block, graph, {}, trace.replay(static_cast<int>(b), m.program)};
      std::ranges::copy_if(pairs, std::back_inserter(c.lost), [&](const Conflict& p) { return !graph.ordered(p); });
      count(name, c);
    });
  }

  void count(const std::string& name, const Case& c) {
    Count& n = counts_[c.mutant.kind];
    const auto& found = c.found.findings();
    const bool race = std::ranges::any_of(found, [&](const Finding& f) { return tells_lost_order(f, c); });
    const bool flag = std::ranges::any_of(found, [&](const Finding& f) { return tells_broken_flag(f, c.graph); });
    const bool alarm = !std::ranges::all_of(found, [&](const Finding& f) { return is_due(f, c); });
    ++n.mutants, n.unchanged += !c.broken() && !c.changed(), n.false_alarms += alarm;
    n.lost += c.changed(), n.as_race += c.changed() && race;
    n.broken += c.broken(), n.as_flag += c.broken() && flag;
    if (c.broken() && !flag) tell("missed flag", name, c);
    if (c.changed() && !race) tell("missed race", name, c), tell_pairs(c);
    if (alarm) tell("false alarm", name, c);
  }

  void tell(const char* what, const std::string& name, const Case& c) {
    wrong_ << what << ": " << name << ": " << c.mutant.what << "\n";
    if (!c.found.findings().empty()) wrong_ << c.found;
  }
  void tell_pairs(const Case& c) {
    for (const Conflict& p : c.lost) wrong_ << "  " << mutation::text(p, c.block) << ": " << reason(p, c.block) << "\n";
  }

  template <class... T>
  static void row(std::ostream& out, const std::string& kind, const T&... cells) {
    out << std::left << std::setw(24) << kind << std::right;
    ((out << std::setw(13) << cells), ...) << "\n";
  }
  static void row(std::ostream& out, const std::string& kind, const Count& c) {
    row(out, kind, c.mutants, c.lost, c.as_race, c.broken, c.as_flag, c.unchanged, c.false_alarms);
  }
  std::string table() const {
    std::ostringstream out;
    row(out, "", "mutants", "order lost", "as race", "flags broken", "as flag-*", "unchanged", "false alarms");
    for (const auto& [kind, count] : counts_) row(out, kind, count);
    row(out, "all", total());
    return out.str();
  }
  std::string sentence() const {
    const Count all = total();
    std::ostringstream out;
    out << std::fixed << std::setprecision(2) << "order lost and reported: " << 100.0 * all.as_race / all.lost
        << " %, flags broken and reported: " << 100.0 * all.as_flag / all.broken << " %\n";
    return out.str();
  }

  std::map<std::string, Count> counts_;
  std::ostringstream wrong_;
};

/// Prints each line with the prefix "score: ", for which `./test --mutation` searches the log.
void print_score(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) std::cout << "score: " << line << "\n";
}

TEST(mutation, flags_deleted_moved_and_retargeted_are_reported) {
  Campaign campaign;
  each_trace([&](const std::string& name, Trace& trace) { campaign.run(name, trace); });
  print_score(campaign.text());
  const Count all = campaign.total();
  EXPECT_GT(all.lost, 1000);
  EXPECT_EQ(all.as_race, all.lost);
  EXPECT_EQ(all.as_flag, all.broken);
  EXPECT_EQ(all.false_alarms, 0);
}

}  // namespace
}  // namespace ptox::mutation
