// SPDX-License-Identifier: Apache-2.0
// The order of the accesses of a block by the rules of the machine, independent of the checker.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mutation/trace.hpp"

namespace ptox::mutation {

/// The queue of a pipe. S has two, because its loads and waits complete before the next instruction is issued, but its
/// stores do not.
using Queue = int;
inline constexpr int queue_count = 9;
inline constexpr Queue s_stores = 8;
constexpr pipe_t pipe_of(Queue q) { return q == s_stores ? PIPE_S : q; }

/// Two accesses of different steps and pipes to the same bytes that must be ordered.
struct Conflict {
  std::size_t a, b;  ///< numbers of the steps; a is issued first
  Queue in_a, in_b;
  int space;
  std::uint64_t begin, end;
};
std::vector<Conflict> conflicts_of(const std::vector<Taken>& block);
std::string text(const Conflict&, const std::vector<Taken>& block);

/// The happens-before order of the accesses of a program, by transitive closure.
class Graph {
 public:
  explicit Graph(const Program& program);

  bool stuck() const { return stuck_; }    ///< a wait never ends
  bool reused() const { return reused_; }  ///< a flag is set again before a wait
  bool leaks() const { return leaks_; }    ///< a flag is set and never waited for
  /// Whether the two accesses are ordered. Precondition: not stuck.
  bool ordered(const Conflict&) const;

 private:
  using Node = int;
  struct Flag {
    std::vector<Node> sets, waits;
  };
  Node add(Queue);
  void link(Node before, Node after);
  void flag(const Op&);
  void barrier(pipe_t);
  void work(const Op&);
  void own_pairs(const pto::instr::FlagPair* pairs, std::size_t count);
  void match();
  void close();
  bool before(Node a, Node b) const;
  Flag& flag(pipe_t src, pipe_t dst, event_t id) { return flags_[static_cast<std::size_t>((src * 8 + dst) * 8 + id)]; }
  Node& last(Queue q) { return last_[static_cast<std::size_t>(q)]; }

  std::vector<std::vector<Node>> into_, out_of_;            // edges, by node
  std::vector<std::vector<std::uint64_t>> ancestors_;       // bit set of nodes, by node
  std::array<Node, queue_count> last_;                      // last node of each queue
  std::vector<std::array<Node, queue_count>> accesses_;     // by step and queue
  std::vector<Flag> flags_ = std::vector<Flag>(8 * 8 * 8);  // by source pipe, destination pipe and id
  bool stuck_ = false, reused_ = false, leaks_ = false;
};

}  // namespace ptox::mutation
