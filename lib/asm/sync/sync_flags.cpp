// SPDX-License-Identifier: Apache-2.0
#include "asm/sync/sync_flags.hpp"

#include <optional>

#include "asm/sync/sync_order.hpp"

namespace ptox::assembly::sync {

namespace {

/// An element of the path to a step: the position `at` in a body.
struct Turn {
  Body* body;
  std::size_t at;
};
using Path = std::vector<Turn>;

bool find(Body& body, int access, Path& path) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    path.push_back({&body, i});
    for (int a : body[i].accesses)
      if (a == access) return true;
    for (Body& inner : body[i].bodies)
      if (find(inner, access, path)) return true;
    path.pop_back();
  }
  return false;
}
Path path_of(Program& p, int access) {
  Path path;
  find(p.body, access, path);
  return path;
}

Step flag(Step::Kind kind, pipe_t src, pipe_t dst, int pair) {
  Step s;
  s.kind = kind, s.src = src, s.dst = dst, s.pair = pair;
  s.id = 8 + pair;  // a unique preliminary id; number() assigns the final one
  return s;
}
void insert(Body& body, std::size_t at, Step s) {
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), std::move(s));
}

/// A conflict between two accesses, and the loop that carries it if they are in different iterations.
struct Pair {
  int a, b;
  int carried;  ///< depth of the loop; 0: same iteration
};

class Solver {
 public:
  Solver(Program& p, const TakenIds& taken) : p_(p), taken_(taken) {}

  void run() {
    while (improve()) {
    }
    minimise();
    while (!number()) minimise();
  }

 private:
  /// Adds one flag pair or cache clean for the first access that lacks one. False if no access does.
  bool improve() {
    const Findings found = find_unordered(p_);
    if (!found.any) return false;
    for (int b = 0; b < static_cast<int>(p_.accesses.size()); ++b) {
      const std::size_t n = static_cast<std::size_t>(b);
      if (found.unordered[n].any()) return insert_pair(latest(found.unordered[n], b)), true;
      if (found.stale[n]) return insert_clean(b), true;
    }
    return false;
  }

  /// The number of loops that contain both accesses.
  int common_loops(int a, int b) const {
    const auto &x = p_.accesses[static_cast<std::size_t>(a)].around,
               &y = p_.accesses[static_cast<std::size_t>(b)].around;
    const auto [end, other] = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
    return static_cast<int>(end - x.begin());
  }

  /// The conflict to resolve first: conflicts within an iteration before loop-carried ones, then the nearest one.
  Pair latest(const Bits& facts, int b) {
    std::optional<Pair> best;
    facts.each([&](int fact) {
      const int a = p_.access_of[static_cast<std::size_t>(fact)];
      const int v = fact - p_.accesses[static_cast<std::size_t>(a)].first;
      const Pair pair{a, b, v > 0 && v <= common_loops(a, b) ? v : 0};
      const auto rank = [](const Pair& x) { return std::pair(x.carried == 0 ? 1000000 : x.carried, x.a); };
      if (!best || rank(*best) < rank(pair)) best = pair;
    });
    return *best;
  }

  void insert_pair(const Pair& pair) {
    const Path from = path_of(p_, pair.a), to = path_of(p_, pair.b);
    const pipe_t src = p_.accesses[static_cast<std::size_t>(pair.a)].pipe;
    const pipe_t dst = p_.accesses[static_cast<std::size_t>(pair.b)].pipe;
    const int number = pairs_++;
    std::size_t level = 0;
    if (pair.carried > 0) {
      for (int loops = pair.carried; loops > 0; ++level)
        loops -= (*from[level].body)[from[level].at].kind == Step::Kind::loop;
      from[level].body->push_back(flag(Step::Kind::wait, src, dst, number));
    } else {
      while (from[level].at == to[level].at && from[level].body == to[level].body) ++level;
      insert(*to[level].body, to[level].at, flag(Step::Kind::wait, src, dst, number));
    }
    insert(*from[level].body, from[level].at + 1, flag(Step::Kind::set, src, dst, number));
  }

  void insert_clean(int b) {
    const Path to = path_of(p_, b);
    Step s = flag(Step::Kind::clean, b, 0, pairs_++);  // src holds the number of the access
    insert(*to.back().body, to.back().at, std::move(s));
  }

  /// Collects the inserted steps of one pair, in program order.
  static void collect(Body& body, int pair, std::vector<Turn>& out) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].pair == pair) out.push_back({&body, i});
      for (Body& inner : body[i].bodies) collect(inner, pair, out);
    }
  }
  std::vector<Turn> steps_of(int pair) {
    std::vector<Turn> turns;
    collect(p_.body, pair, turns);
    return turns;
  }

  /// Removes redundant pairs and cleans. One pass suffices: a step that is necessary while others are present is also
  /// necessary after they were removed.
  void minimise() {
    for (int n = 0; n < pairs_; ++n) {
      const std::vector<Turn> turns = steps_of(n);
      std::vector<Step> kept;
      for (auto t = turns.rbegin(); t != turns.rend(); ++t) {
        kept.push_back((*t->body)[t->at]);
        t->body->erase(t->body->begin() + static_cast<std::ptrdiff_t>(t->at));
      }
      if (turns.empty() || !find_unordered(p_, true).any) continue;
      for (const Turn& t : turns) insert(*t.body, t.at, std::move(kept.back())), kept.pop_back();
    }
  }

  /// The live range of a flag from its set to its wait, in positions of the whole program.
  struct Span {
    int pair;
    pipe_t src, dst;
    int begin, end;
    event_t id = -1;
  };
  static void spans(const Body& body, int& at, std::vector<Span>& out) {
    for (const Step& s : body) {
      ++at;
      if (s.pair >= 0 && s.kind == Step::Kind::set) out.push_back({s.pair, s.src, s.dst, at, at});
      if (s.pair >= 0 && s.kind == Step::Kind::wait)
        for (Span& span : out)
          if (span.pair == s.pair) span.end = at;
      for (const Body& inner : s.bodies) spans(inner, at, out);
    }
  }

  /// Assigns an event id to every pair that no other pair uses between its set and its wait. False if the ids did not
  /// suffice and one pair was changed.
  bool number() {
    std::vector<Span> all;
    int at = 0;
    spans(p_.body, at, all);
    for (Span& s : all) {
      s.id = free_id(s, all);
      if (s.id < 0) return shorten(s), false;
    }
    for (const Span& s : all)
      for (const Turn& t : steps_of(s.pair)) (*t.body)[t.at].id = s.id;
    return true;
  }
  event_t free_id(const Span& s, const std::vector<Span>& all) const {
    for (const event_t id : {1, 2, 3, 4, 5, 6, 7, 0}) {
      bool free = !(taken_(s.src, s.dst) >> id & 1);
      for (const Span& o : all)
        if (&o != &s && o.id == id && o.src == s.src && o.dst == s.dst && o.begin < s.end && s.begin < o.end)
          free = false;
      if (free) return id;
    }
    return -1;
  }
  /// Moves the set directly before the wait. If it is there already, or all ids are taken, replaces the pair by a
  /// barrier on all pipes.
  void shorten(const Span& s) {
    const std::vector<Turn> turns = steps_of(s.pair);
    Body& body = *turns[0].body;
    Step set = body[turns[0].at];
    if (taken_(s.src, s.dst) == 0xff || s.end == s.begin + 1) {
      body[turns[1].at].kind = Step::Kind::barrier, body[turns[1].at].src = PIPE_ALL;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(turns[0].at));
      return;
    }
    insert(body, turns[1].at, std::move(set));
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(turns[0].at));
  }

  Program& p_;
  const TakenIds& taken_;
  int pairs_ = 0;
};

}  // namespace

void insert_flags(Program& program, const TakenIds& taken) { Solver(program, taken).run(); }

}  // namespace ptox::assembly::sync
