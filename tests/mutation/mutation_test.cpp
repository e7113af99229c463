// SPDX-License-Identifier: Apache-2.0
// Does the checker find what a wrong flag does to a good kernel?
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "mutation/mutants.hpp"
#include "mutation/oracle.hpp"

namespace ptox::mutation {
namespace {

/// Calls visit(name, trace) for each good kernel on each machine.
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

/// What a block does, global addresses aside: of blocks that do the same, one is mutated.
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

struct Count {
  int mutants = 0;
  int lost = 0, as_race = 0;    ///< a conflicting pair lost its order, every wait ends
  int broken = 0, as_flag = 0;  ///< a wait never ends, a flag is set twice or never waited for
  int unchanged = 0, false_alarms = 0;

  Count& operator+=(const Count& o) {
    mutants += o.mutants, lost += o.lost, as_race += o.as_race, broken += o.broken, as_flag += o.as_flag;
    unchanged += o.unchanged, false_alarms += o.false_alarms;
    return *this;
  }
};

/// Whether a finding is about this pair.
bool names(const Finding& f, const Conflict& c, const std::vector<Taken>& block) {
  const auto is = [&](const Step& at, const Step& other) {
    const std::string said = std::string(other.mnemonic) + " of line " + std::to_string(other.site.line()) + " (";
    return f.line == static_cast<int>(at.site.line()) && f.message.find(said) != std::string::npos;
  };
  const Step &a = block[c.a].step, &b = block[c.b].step;
  return is(b, a) || is(a, b);
}

bool is_race(const Finding& f) { return f.id == "race" || f.id == "atomic-race"; }
bool is_flag(const Finding& f) { return f.id == "flag-leak" || f.id == "flag-reuse" || f.id == "flag-deadlock"; }

/// Why the checker cannot see a pair, as far as we know.
const char* reason(const Conflict& c, const std::vector<Taken>& block) {
  for (std::size_t i = c.a + 1; i < c.b; ++i)
    for (const auto& t : block[i].step.touches)
      if (block[i].step.kind == Step::Kind::outside && t.space == c.space && t.begin < c.end && c.begin < t.end)
        return "between the two the kernel's own C++ took the bytes by data(), which ends their history";
  return "not known";
}

class Campaign {
 public:
  void run(const std::string& name, Trace& trace) {
    std::set<std::string> seen;
    for (std::size_t b = 0; b < trace.blocks().size(); ++b)
      if (seen.insert(shape(trace.blocks()[b])).second) run_block(name, trace, b);
  }

  Count total() const {
    Count sum;
    for (const auto& [kind, count] : counts_) sum += count;
    return sum;
  }
  const std::string& misses() const { return misses_; }
  std::string table() const {
    std::ostringstream out;
    row(out, "", "mutants", "order lost", "as race", "broken", "as flag-*", "unchanged", "false");
    const auto line = [&](const std::string& kind, const Count& c) {
      row(out, kind, c.mutants, c.lost, c.as_race, c.broken, c.as_flag, c.unchanged, c.false_alarms);
    };
    for (const auto& [kind, count] : counts_) line(kind, count);
    line("all", total());
    return out.str();
  }

 private:
  template <class... T>
  static void row(std::ostream& out, const std::string& kind, const T&... cells) {
    out << std::left << std::setw(26) << kind << std::right;
    ((out << std::setw(11) << cells), ...) << "\n";
  }

  void run_block(const std::string& name, Trace& trace, std::size_t b) {
    const auto& block = trace.blocks()[b];
    const auto conflicts = conflicts_of(block);
    for (const Mutant& m : mutants_of(trace.programs()[b])) {
      const Graph graph(m.program);
      const Report r = trace.replay(static_cast<int>(b), m.program);
      judge(name + " block " + std::to_string(b) + ": " + m.what, counts_[m.kind], graph, r, conflicts, block);
    }
  }

  void judge(const std::string& mutant, Count& count, const Graph& graph, const Report& r,
             const std::vector<Conflict>& conflicts, const std::vector<Taken>& block) {
    const bool runs = !graph.stuck() && !graph.reused();
    std::vector<Conflict> lost;
    if (runs)
      std::ranges::copy_if(conflicts, std::back_inserter(lost), [&](const Conflict& c) { return !graph.ordered(c); });
    ++count.mutants;
    if (!runs || graph.leaks()) judge_flags(mutant, count, r);
    if (!lost.empty()) judge_order(mutant, count, r, lost, block);
    if (runs) judge_alarms(mutant, count, r, graph.leaks(), lost, block);
    count.unchanged += runs && !graph.leaks() && lost.empty();
  }

  void judge_flags(const std::string& mutant, Count& count, const Report& r) {
    ++count.broken;
    const bool found = std::ranges::any_of(r.findings(), is_flag);
    count.as_flag += found;
    if (!found) misses_ += "missed flag: " + mutant + "\n";
  }

  void judge_order(const std::string& mutant, Count& count, const Report& r, const std::vector<Conflict>& lost,
                   const std::vector<Taken>& block) {
    ++count.lost;
    const bool found = std::ranges::any_of(r.findings(), [&](const Finding& f) {
      return is_race(f) && std::ranges::any_of(lost, [&](const Conflict& c) { return names(f, c, block); });
    });
    count.as_race += found;
    if (found) return;
    misses_ += "missed race: " + mutant + "\n";
    for (const Conflict& c : lost) misses_ += "  " + text(c, block) + ": " + reason(c, block) + "\n";
  }

  void judge_alarms(const std::string& mutant, Count& count, const Report& r, bool leaks,
                    const std::vector<Conflict>& lost, const std::vector<Taken>& block) {
    const auto rightly = [&](const Finding& f) {
      if (f.severity == Severity::note || (leaks && f.id == "flag-leak")) return true;
      return is_race(f) && std::ranges::any_of(lost, [&](const Conflict& c) { return names(f, c, block); });
    };
    if (std::ranges::all_of(r.findings(), rightly)) return;
    ++count.false_alarms;
    std::ostringstream out;
    out << "false alarm: " << mutant << "\n" << r;
    misses_ += out.str();
  }

  std::map<std::string, Count> counts_;
  std::string misses_;
};

TEST(mutation, flags_deleted_moved_and_retargeted_are_reported) {
  Campaign campaign;
  each_trace([&](const std::string& name, Trace& trace) { campaign.run(name, trace); });
  const Count all = campaign.total();
  std::cout << campaign.misses() << campaign.table() << std::fixed << std::setprecision(2)
            << "order lost and reported as race: " << 100.0 * all.as_race / all.lost
            << " %, flags broken and reported: " << 100.0 * all.as_flag / all.broken
            << " %, false alarms: " << all.false_alarms << "\n";
  EXPECT_GE(all.as_race, 0.95 * all.lost);
  EXPECT_EQ(all.as_flag, all.broken);
  EXPECT_EQ(all.false_alarms, 0);
}

}  // namespace
}  // namespace ptox::mutation
