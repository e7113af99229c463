// SPDX-License-Identifier: Apache-2.0
#include "mutation/oracle.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <sstream>
#include <tuple>

namespace ptox::mutation {

using pto::instr::Access;
using pto::instr::FlagPair;
using pto::instr::pipe_name;

namespace {

Queue queue_of(const Step::Touch& t) { return t.pipe == PIPE_S && t.access != Access::read ? s_stores : t.pipe; }

struct Interval {
  std::uint64_t begin, end;
};
using Intervals = std::vector<Interval>;

/// Sorts the intervals and merges adjacent ones.
Intervals joined(Intervals all) {
  std::ranges::sort(all, {}, &Interval::begin);
  Intervals out;
  for (const Interval& i : all)
    if (!out.empty() && i.begin <= out.back().end)
      out.back().end = std::max(out.back().end, i.end);
    else
      out.push_back(i);
  return out;
}

/// The first common interval; empty if there is none.
Interval common(const Intervals& a, const Intervals& b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Interval both{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (both.begin < both.end) return both;
    a[i].end < b[j].end ? ++i : ++j;
  }
  return {0, 0};
}

/// All bytes that a step accesses in one queue with one kind of access.
struct Use {
  Queue queue;
  Access access;
  int space;
  bool plain;
  Intervals bytes;
};

std::vector<Use> uses_of(const Step& step) {
  std::map<std::tuple<Queue, Access, int>, Intervals> by_way;
  if (step.kind == Step::Kind::work)
    for (const auto& t : step.touches) by_way[{queue_of(t), t.access, t.space}].push_back({t.begin, t.end});
  std::vector<Use> uses;
  for (auto& [way, bytes] : by_way)
    uses.push_back({std::get<0>(way), std::get<1>(way), std::get<2>(way), step.plain_update, joined(std::move(bytes))});
  return uses;
}

bool may_conflict(const Use& a, const Use& b) {
  if (a.space != b.space || pipe_of(a.queue) == pipe_of(b.queue)) return false;
  if (a.access == Access::read && b.access == Access::read) return false;
  const bool both_update = a.access == Access::update && b.access == Access::update;
  return !both_update || a.plain || b.plain;
}

}  // namespace

std::vector<Conflict> conflicts_of(const std::vector<Taken>& block) {
  std::vector<std::vector<Use>> uses;
  for (const Taken& t : block) uses.push_back(uses_of(t.step));
  std::vector<Conflict> all;
  const auto compare = [&](std::size_t a, std::size_t b) {
    for (const Use& x : uses[a])
      for (const Use& y : uses[b])
        if (const Interval i = may_conflict(x, y) ? common(x.bytes, y.bytes) : Interval{}; i.begin < i.end)
          all.push_back({a, b, x.queue, y.queue, x.space, i.begin, i.end});
  };
  for (std::size_t a = 0; a < uses.size(); ++a)
    for (std::size_t b = a + 1; b < uses.size(); ++b) compare(a, b);
  return all;
}

std::string text(const Conflict& c, const std::vector<Taken>& block) {
  const Step &a = block[c.a].step, &b = block[c.b].step;
  std::ostringstream out;
  out << a.mnemonic << " of line " << a.site.line() << " (" << pipe_name(pipe_of(c.in_a)) << ") and " << b.mnemonic
      << " of line " << b.site.line() << " (" << pipe_name(pipe_of(c.in_b)) << ") in ";
  if (c.space < 0)
    out << c.end - c.begin << " bytes of GM";
  else
    out << "bytes " << c.begin << " to " << c.end << " of buffer " << c.space;
  return out.str();
}

Graph::Graph(const Program& program) : accesses_(program.size()) {
  last_.fill(-1);
  for (const Op& op : program) {
    if (op.kind == Step::Kind::set || op.kind == Step::Kind::wait) flag(op);
    if (op.kind == Step::Kind::barrier) barrier(op.src);
    if (op.kind == Step::Kind::work) work(op);
  }
  match();
  close();
}

/// Adds a node that is ordered after the previous node of its queue, and after the waits and loads of S that precede
/// its issue.
Graph::Node Graph::add(Queue q) {
  const Node n = static_cast<Node>(into_.size());
  into_.emplace_back(), out_of_.emplace_back();
  link(last(q), n);
  if (q != PIPE_S) link(last(PIPE_S), n);
  return last(q) = n;
}

void Graph::link(Node before, Node after) {
  if (before < 0) return;
  into_[static_cast<std::size_t>(after)].push_back(before);
  out_of_[static_cast<std::size_t>(before)].push_back(after);
}

/// A set is executed by its source pipe; a set by S also follows the stores of S. A wait blocks its destination pipe.
void Graph::flag(const Op& op) {
  Flag& f = flag(op.src, op.dst, op.id);
  if (op.kind == Step::Kind::wait) return f.waits.push_back(add(op.dst));
  reused_ = reused_ || f.sets.size() > f.waits.size();
  f.sets.push_back(add(op.src == PIPE_S ? s_stores : op.src));
}

void Graph::barrier(pipe_t pipe) {
  if (pipe != PIPE_ALL) return;
  const Node n = add(PIPE_S);
  for (Node& l : last_) {
    if (l != n) link(l, n);
    l = n;
  }
}

void Graph::work(const Op& op) {
  const Step& step = op.of->step;
  if (accesses_.size() <= op.number) accesses_.resize(op.number + 1);
  auto& mine = accesses_[op.number];
  mine.fill(-1);
  own_pairs(step.own.before, std::size(step.own.before));
  for (const Queue q : {PIPE_S, s_stores, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_FIX})
    if (std::ranges::any_of(step.touches, [&](const auto& t) { return queue_of(t) == q; }))
      mine[static_cast<std::size_t>(q)] = add(q);
  own_pairs(step.own.after, std::size(step.own.after));
}

void Graph::own_pairs(const FlagPair* pairs, std::size_t count) {
  for (const FlagPair& p : std::span(pairs, count)) {
    if (p.src == p.dst) continue;
    const Flag& f = flag(p.src, p.dst, EVENT_ID0);
    reused_ = reused_ || f.sets.size() > f.waits.size();
    const Node set = add(p.src == PIPE_S ? s_stores : p.src);
    link(set, add(p.dst));
  }
}

/// Orders the n-th wait for a flag after its n-th set.
void Graph::match() {
  for (const Flag& f : flags_) {
    for (std::size_t i = 0; i < std::min(f.sets.size(), f.waits.size()); ++i) link(f.sets[i], f.waits[i]);
    stuck_ = stuck_ || f.waits.size() > f.sets.size();
    leaks_ = leaks_ || f.sets.size() > f.waits.size();
  }
}

/// Computes the ancestors of each node in topological order. Nodes in a cycle are never processed.
void Graph::close() {
  const std::size_t count = into_.size();
  std::vector<std::size_t> open(count);
  std::vector<Node> ready;
  ancestors_.assign(count, std::vector<std::uint64_t>((count + 63) / 64));
  for (std::size_t n = 0; n < count; ++n)
    if ((open[n] = into_[n].size()) == 0) ready.push_back(static_cast<Node>(n));
  for (std::size_t done = 0; done < ready.size(); ++done) {
    auto& mine = ancestors_[static_cast<std::size_t>(ready[done])];
    for (const Node from : into_[static_cast<std::size_t>(ready[done])]) {
      const auto& theirs = ancestors_[static_cast<std::size_t>(from)];
      for (std::size_t w = 0; w < mine.size(); ++w) mine[w] |= theirs[w];
      mine[static_cast<std::size_t>(from) / 64] |= std::uint64_t{1} << (from % 64);
    }
    for (const Node to : out_of_[static_cast<std::size_t>(ready[done])])
      if (--open[static_cast<std::size_t>(to)] == 0) ready.push_back(to);
  }
  stuck_ = stuck_ || ready.size() < count;
}

bool Graph::before(Node a, Node b) const {
  return ancestors_[static_cast<std::size_t>(b)][static_cast<std::size_t>(a) / 64] >> (a % 64) & 1;
}

bool Graph::ordered(const Conflict& c) const {
  const Node a = accesses_[c.a][static_cast<std::size_t>(c.in_a)], b = accesses_[c.b][static_cast<std::size_t>(c.in_b)];
  return before(a, b) || before(b, a);
}

}  // namespace ptox::mutation
