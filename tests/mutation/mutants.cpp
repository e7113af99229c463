// SPDX-License-Identifier: Apache-2.0
#include "mutation/mutants.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace ptox::mutation {

namespace {

using Kind = Step::Kind;
constexpr std::array<pipe_t, 4> pipes{PIPE_V, PIPE_MTE2, PIPE_MTE3, PIPE_S};
constexpr event_t ids = 8;
constexpr std::size_t first_rounds = 8;

bool same_flag(const Op& a, const Op& b) {
  const bool flags = (a.kind == Kind::set || a.kind == Kind::wait) && (b.kind == Kind::set || b.kind == Kind::wait);
  return flags && a.src == b.src && a.dst == b.dst && a.id == b.id;
}

std::string name(const Op& op) {
  using pto::instr::pipe_name;
  const std::string line = " of line " + std::to_string(op.of->step.site.line());
  if (op.kind == Kind::barrier) return std::string("pipe_barrier(") + pipe_name(op.src) + ")" + line;
  return std::string(op.kind == Kind::set ? "set" : "wait") + "_flag(" + pipe_name(op.src) + ", " + pipe_name(op.dst) +
         ", " + std::to_string(op.id) + ")" + line;
}

/// For each step, whether it is mutated: the first `first_rounds` executions of a line, and the last one.
std::vector<bool> chosen(const Program& program) {
  std::map<std::tuple<Kind, unsigned, pipe_t, pipe_t>, std::vector<std::size_t>> rounds;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Op& op = program[i];
    rounds[{op.kind, op.of->step.site.line(), op.src, op.dst}].push_back(i);
  }
  std::vector<bool> yes(program.size());
  for (const auto& [line, steps] : rounds) {
    for (std::size_t k = 0; k < std::min(steps.size(), first_rounds); ++k) yes[steps[k]] = true;
    yes[steps.back()] = true;
  }
  return yes;
}

/// Makes the mutants of one program.
class Maker {
 public:
  Maker(const Program& program, const std::function<void(const Mutant&)>& visit)
      : program_(program), visit_(visit), chosen_(chosen(program)) {}

  void make() {
    for (std::size_t i = 0; i < program_.size(); ++i) {
      if (!chosen_[i]) continue;
      if (program_[i].kind == Kind::set) set(i);
      if (program_[i].kind == Kind::wait) wait(i);
      if (program_[i].kind == Kind::barrier) barrier(i);
    }
    for (const auto& [set, wait] : pairs())
      if (chosen_[set]) pair(set, wait);
  }

 private:
  void set(std::size_t i) {
    add("delete set", i, "deleted", without({i}));
    ids_of("set with another id", i, {i});
    const std::size_t one = earlier(i, 1), most = earlier(i, program_.size());
    if (one < i) move("set earlier by one", i, one);
    if (most < one) move("set as early as can be", i, most);
  }

  void wait(std::size_t i) {
    add("delete wait", i, "deleted", without({i}));
    ids_of("wait with another id", i, {i});
    const std::size_t one = later(i, 1), most = later(i, program_.size());
    if (one > i) move("wait later by one", i, one);
    if (most > one) move("wait as late as can be", i, most);
  }

  void barrier(std::size_t i) {
    add("delete barrier", i, "deleted", without({i}));
    for (const pipe_t p : pipes)
      if (p != program_[i].src)
        add("barrier of another pipe", i, std::string("to ") + pto::instr::pipe_name(p),
            with({i}, [&](Op& op) { op.src = p; }));
  }

  void pair(std::size_t s, std::size_t w) {
    add("delete pair", s, "deleted with its wait", without({s, w}));
    ids_of("pair with another id", s, {s, w});
    const pipe_t src = program_[s].src, dst = program_[s].dst;
    for (const pipe_t p : pipes) {
      const std::string to = pto::instr::pipe_name(p);
      if (p != src && p != dst)
        add("pair to another pipe", s, "and its wait to " + to, with({s, w}, [&](Op& op) { op.dst = p; })),
            add("pair from another pipe", s, "and its wait from " + to, with({s, w}, [&](Op& op) { op.src = p; }));
    }
  }

  /// Mutants with every other id that the program uses between these pipes, and with one unused id.
  void ids_of(const char* kind, std::size_t i, const std::vector<std::size_t>& which) {
    bool fresh = false;
    for (event_t id = 0; id < ids; ++id) {
      Op other = program_[i];
      other.id = id;
      const bool used = std::ranges::any_of(program_, [&](const Op& op) { return same_flag(op, other); });
      if (id == program_[i].id || (!used && fresh)) continue;
      fresh = fresh || !used;
      add(kind, i, "to id " + std::to_string(id), with(which, [&](Op& op) { op.id = id; }));
    }
  }

  void move(const char* kind, std::size_t from, std::size_t to) {
    const std::string past =
        std::string(program_[to].of->step.mnemonic) + " of line " + std::to_string(program_[to].of->step.site.line());
    add(kind, from, (from < to ? "moved after " : "moved before ") + past, moved(from, to));
  }

  void add(const char* kind, std::size_t i, const std::string& change, Program program) {
    visit_({kind, name(program_[i]) + " " + change, std::move(program)});
  }

  Program without(const std::vector<std::size_t>& which) const {
    Program p;
    for (std::size_t i = 0; i < program_.size(); ++i)
      if (std::ranges::find(which, i) == which.end()) p.push_back(program_[i]);
    return p;
  }

  template <class F>
  Program with(const std::vector<std::size_t>& which, F&& change) const {
    Program p = program_;
    for (const std::size_t i : which) change(p[i]);
    return p;
  }

  Program moved(std::size_t from, std::size_t to) const {
    Program p = program_;
    const auto at = [&](std::size_t i) { return p.begin() + static_cast<std::ptrdiff_t>(i); };
    from < to ? std::rotate(at(from), at(from + 1), at(to + 1)) : std::rotate(at(to), at(from), at(from + 1));
    return p;
  }

  static bool touches(const Op& op) { return !op.of->step.touches.empty(); }

  /// The new position of a step that is moved before up to `most` preceding accesses, but not before another use of its
  /// flag.
  std::size_t earlier(std::size_t i, std::size_t most) const {
    std::size_t to = i;
    for (std::size_t k = i; k-- > 0 && most > 0 && !same_flag(program_[k], program_[i]);)
      if (touches(program_[k])) to = k, --most;
    return to;
  }
  std::size_t later(std::size_t i, std::size_t most) const {
    std::size_t to = i;
    for (std::size_t k = i + 1; k < program_.size() && most > 0 && !same_flag(program_[k], program_[i]); ++k)
      if (touches(program_[k])) to = k, --most;
    return to;
  }

  /// Pairs of the n-th set and the n-th wait of each flag.
  std::vector<std::pair<std::size_t, std::size_t>> pairs() const {
    std::map<std::tuple<pipe_t, pipe_t, event_t>, std::array<std::vector<std::size_t>, 2>> flags;
    for (std::size_t i = 0; i < program_.size(); ++i)
      if (const Op& op = program_[i]; op.kind == Kind::set || op.kind == Kind::wait)
        flags[{op.src, op.dst, op.id}][op.kind == Kind::wait].push_back(i);
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (const auto& [flag, uses] : flags)
      for (std::size_t n = 0; n < std::min(uses[0].size(), uses[1].size()); ++n)
        all.emplace_back(uses[0][n], uses[1][n]);
    return all;
  }

  const Program& program_;
  const std::function<void(const Mutant&)>& visit_;
  const std::vector<bool> chosen_;
};

}  // namespace

void each_mutant(const Program& program, const std::function<void(const Mutant&)>& visit) {
  Maker(program, visit).make();
}

}  // namespace ptox::mutation
