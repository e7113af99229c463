// SPDX-License-Identifier: Apache-2.0
#include "asm/sync/sync_order.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace ptox::assembly::sync {

namespace {

constexpr int pipe_count = 8;
constexpr std::size_t most_states = 16;  // distinct states at one point; more are joined into one

/// The data-flow state at a point of a path. A larger set means less knowledge, so the union of two states is a sound
/// approximation of both.
struct State {
  std::array<Bits, pipe_count> open;  ///< by pipe: facts not known to be complete
  std::map<int, Bits> flags;          ///< by flag that is set: `open` of its source pipe when it was set
  Bits dirty, held, passed;           ///< accesses, by state of the data cache; see CacheWatch in lib/observe/cache.hpp
  bool flushed = false;

  bool operator==(const State&) const = default;
  template <class V>
  void each_set(V&& visit) {
    for (Bits& b : open) visit(b);
    for (auto& [flag, b] : flags) visit(b);
  }
  bool within(const State& o) const {
    if (flushed != o.flushed || flags.size() != o.flags.size()) return false;
    for (std::size_t p = 0; p < pipe_count; ++p)
      if (!open[p].within(o.open[p])) return false;
    for (const auto& [flag, b] : flags)
      if (const auto it = o.flags.find(flag); it == o.flags.end() || !b.within(it->second)) return false;
    return dirty.within(o.dirty) && held.within(o.held) && passed.within(o.passed);
  }
  void join(const State& o) {
    for (std::size_t p = 0; p < pipe_count; ++p) open[p].join(o.open[p]);
    for (auto& [flag, b] : flags)
      if (const auto it = o.flags.find(flag); it != o.flags.end())
        b.join(it->second);
      else
        b.fill();  // set on only one of the paths: the wait orders nothing
    for (const auto& [flag, b] : o.flags)
      if (const auto [it, fresh] = flags.try_emplace(flag, b); fresh) it->second.fill();
    dirty.join(o.dirty), held.join(o.held), passed.join(o.passed);
    flushed = flushed && o.flushed;
  }
};
using States = std::vector<State>;

/// Adds a state unless a more conservative one is present. Joins all states if there are too many. Returns whether
/// `all` changed.
bool add(States& all, State s) {
  for (const State& known : all)
    if (s.within(known)) return false;
  std::erase_if(all, [&](const State& known) { return known.within(s); });
  all.push_back(std::move(s));
  if (all.size() <= most_states) return true;
  for (std::size_t i = 1; i < all.size(); ++i) all[0].join(all[i]);
  all.resize(1);
  return true;
}

class Walk {
 public:
  Walk(const Program& p, bool only_whether) : p_(p), only_whether_(only_whether) {
    found_.unordered.assign(p.accesses.size(), Bits(p.facts));
    found_.stale.assign(p.accesses.size(), false);
  }

  Findings run() {
    State s;
    s.open.fill(Bits(p_.facts));
    s.dirty = s.held = s.passed = Bits(static_cast<int>(p_.accesses.size()));
    States states{s};
    body(p_.body, states);
    return std::move(found_);
  }

 private:
  bool enough() const { return only_whether_ && found_.any; }

  void body(const Body& steps, States& states) {
    for (const Step& s : steps) {
      if (enough()) return;
      if (s.kind == Step::Kind::loop)
        loop(s, states);
      else if (s.kind == Step::Kind::branch)
        branch(s, states);
      else if (s.kind == Step::Kind::section)
        body(s.bodies[0], states);
      else
        for (State& state : states) step(s, state);
    }
  }

  void branch(const Step& s, States& states) {
    States after;
    for (const Body& b : s.bodies) {
      States taken = states;
      body(b, taken);
      for (State& t : taken) add(after, std::move(t));
    }
    states = std::move(after);
  }

  void loop(const Step& s, States& states) {
    for (int i = 0; i < s.least; ++i) {
      if (i > 0) states = next_iteration(s, states);
      body(s.bodies[0], states);
    }
    if (!s.more) return;
    States heads = s.least > 0 ? next_iteration(s, states) : states;
    for (bool grows = true; grows && !enough();) {
      States ends = heads;
      body(s.bodies[0], ends);
      grows = false;
      for (State& e : ends) add(states, e);
      for (State& e : next_iteration(s, ends)) grows = add(heads, std::move(e)) || grows;
    }
  }
  States next_iteration(const Step& s, States states) {
    for (State& e : states) begin_again(s, e);
    return states;
  }

  /// Marks the accesses of the loop as belonging to an earlier iteration.
  void begin_again(const Step& loop, State& state) {
    state.each_set([&](Bits& facts) {
      for (int a = loop.low; a < loop.high; ++a) {
        const Access& access = p_.accesses[static_cast<std::size_t>(a)];
        bool some = false;
        for (int v = 0; v <= access.loops; ++v) {
          if ((v != 0 && v < loop.depth) || !facts.has(access.first + v)) continue;
          facts.remove(access.first + v), some = true;
        }
        if (some) facts.add(access.first + loop.depth);
      }
    });
  }

  static int number(pipe_t src, pipe_t dst, event_t id) {
    return id * pipe_count * pipe_count + src * pipe_count + dst;
  }
  static Bits& open(State& s, pipe_t p) { return s.open[static_cast<std::size_t>(p)]; }

  /// A pipe starts an instruction that S issued: it inherits the order known to S, including the loads of S but not its
  /// stores.
  void enter(State& s, pipe_t pipe) const {
    if (pipe != PIPE_S) open(s, pipe).keep_either(open(s, PIPE_S), p_.scalar_stores);
  }
  Bits told_by(State& s, pipe_t src) const {
    enter(s, src);
    Bits b = open(s, src);
    if (src == PIPE_S) b.drop(p_.scalar_stores);
    return b;
  }
  void set(State& s, pipe_t src, pipe_t dst, event_t id) const {
    s.flags.try_emplace(number(src, dst, id), told_by(s, src));  // if set twice, the wait consumes the first
  }
  void wait(State& s, pipe_t src, pipe_t dst, event_t id) const {
    enter(s, dst);
    const auto it = s.flags.find(number(src, dst, id));
    if (it == s.flags.end()) return;
    open(s, dst).keep(it->second);
    s.flags.erase(it);
  }
  void own_pairs(State& s, const auto& list) const {
    for (const pto::instr::FlagPair& f : list) {
      if (f.src == f.dst) continue;
      const Bits told = told_by(s, f.src);
      enter(s, f.dst);
      open(s, f.dst).keep(told);
    }
  }

  void step(const Step& s, State& state) {
    switch (s.kind) {
      case Step::Kind::work:
        return work(s, state);
      case Step::Kind::set:
        return set(state, s.src, s.dst, s.id);
      case Step::Kind::wait:
        return wait(state, s.src, s.dst, s.id);
      case Step::Kind::barrier:
        if (s.src == PIPE_ALL)
          for (Bits& b : state.open) b.clear();
        return;
      case Step::Kind::flush:
        return void(state.flushed = true);
      case Step::Kind::settle:
        if (!state.flushed) return;
        [[fallthrough]];
      case Step::Kind::clean:
        state.dirty.clear(), state.held.clear(), state.passed.clear();
        return void(state.flushed = false);
      default:
        return;
    }
  }

  void work(const Step& s, State& state) {
    own_pairs(state, s.own.before);
    for (const bool scalar : {true, false})
      for (int a : s.accesses)
        if ((p_.accesses[static_cast<std::size_t>(a)].pipe == PIPE_S) == scalar) judge(a, state);
    for (int a : s.accesses) happens(a, state);
    own_pairs(state, s.own.after);
  }
  void judge(int a, State& state) {
    const Access& access = p_.accesses[static_cast<std::size_t>(a)];
    enter(state, access.pipe);
    const Bits& must = p_.conflicts[static_cast<std::size_t>(a)];
    if (open(state, access.pipe).meets(must)) {
      Bits both = open(state, access.pipe);
      both.keep(must);
      found_.unordered[static_cast<std::size_t>(a)].join(both);
      found_.any = true;
    }
    if (access.global) judge_cache(a, access, state);
  }
  void judge_cache(int a, const Access& access, const State& state) {
    const Bits& same = p_.overlaps[static_cast<std::size_t>(a)];
    bool stale = false;
    if (access.cached()) {
      stale = access.takes() && state.passed.meets(same);
    } else if (access.kind != pto::instr::Access::write) {
      Bits missed = state.dirty;
      missed.keep(same);
      missed.each([&](int d) {
        const bool meet =
            access.kind == pto::instr::Access::update && p_.accesses[static_cast<std::size_t>(d)].atomic();
        stale = stale || !meet;
      });
    }
    if (!stale) return;
    found_.stale[static_cast<std::size_t>(a)] = true;
    found_.any = true;
  }
  void happens(int a, State& state) const {
    const Access& access = p_.accesses[static_cast<std::size_t>(a)];
    for (pipe_t p = 0; p < pipe_count; ++p)
      if (p != access.pipe || access.scalar_store()) open(state, p).add(access.first);
    for (auto& [flag, b] : state.flags) b.add(access.first);
    if (!access.global) return;
    if (access.cached() && !access.atomic()) state.held.add(a);
    if (access.cached() && access.writes()) state.dirty.add(a);
    if (!access.cached() && access.writes() && state.held.meets(p_.lines[static_cast<std::size_t>(a)]))
      state.passed.add(a);
  }

  const Program& p_;
  bool only_whether_;
  Findings found_;
};

}  // namespace

Findings find_unordered(const Program& program, bool only_whether) { return Walk(program, only_whether).run(); }

}  // namespace ptox::assembly::sync
