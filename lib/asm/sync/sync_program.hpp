// SPDX-License-Identifier: Apache-2.0
// The memory accesses of a kernel by pipe and order, independent of the assembler's operations.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "pto/isa/effect.hpp"

namespace ptox::assembly::sync {

/// A set of small integers.
class Bits {
 public:
  Bits() = default;
  explicit Bits(int count) : words_((static_cast<std::size_t>(count) + 63) / 64) {}
  void add(int n) { word(n) |= bit(n); }
  void remove(int n) { word(n) &= ~bit(n); }
  bool has(int n) const { return words_[static_cast<std::size_t>(n) / 64] & bit(n); }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }
  void fill() { std::fill(words_.begin(), words_.end(), ~std::uint64_t{0}); }
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w != 0; });
  }
  bool meets(const Bits& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] & other.words_[i]) return true;
    return false;
  }
  bool within(const Bits& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] & ~other.words_[i]) return false;
    return true;
  }
  /// Intersection.
  void keep(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  void keep_either(const Bits& a, const Bits& b) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= a.words_[i] | b.words_[i];
  }
  void drop(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  void join(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  template <class V>
  void each(V&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t w = words_[i]; w; w &= w - 1) visit(static_cast<int>(i * 64) + std::countr_zero(w));
  }
  bool operator==(const Bits&) const = default;

 private:
  std::uint64_t& word(int n) { return words_[static_cast<std::size_t>(n) / 64]; }
  static std::uint64_t bit(int n) { return std::uint64_t{1} << (n % 64); }
  std::vector<std::uint64_t> words_;
};

/// One memory operand of one instruction. In loops it represents many accesses, each described by a fact: `first` is an
/// access in the current iteration of all enclosing loops, `first + k` an access in an earlier iteration of the k-th
/// loop, counted from the outermost.
struct Access {
  pipe_t pipe = 0;
  pto::instr::Access kind = pto::instr::Access::read;
  bool plain = false;   ///< a read-modify-write that is not atomic
  bool global = false;  ///< in global memory
  int first = 0, loops = 0;
  std::vector<int> around;  ///< numbers of the enclosing loops, outermost first

  bool writes() const { return kind != pto::instr::Access::read; }
  bool scalar_store() const { return pipe == PIPE_S && writes(); }
  bool cached() const { return global && (pipe == PIPE_S || pipe == PIPE_V); }
  bool atomic() const { return kind == pto::instr::Access::update && !plain; }
  /// Reads the current content, from the cache or from memory.
  bool takes() const { return kind == pto::instr::Access::read || (kind == pto::instr::Access::update && plain); }
};

struct Step;
using Body = std::vector<Step>;

/// An operation that accesses memory, orders accesses, or contains such operations.
struct Step {
  enum class Kind : std::uint8_t { work, set, wait, barrier, flush, settle, clean, loop, branch, section, opaque };
  Kind kind = Kind::work;
  pipe_t src = 0, dst = 0;
  event_t id = 0;
  std::vector<int> accesses;
  pto::instr::OwnFlags own{};
  std::vector<Body> bodies;
  int least = 0;              ///< loop: minimum number of iterations (capped)
  bool more = true;           ///< loop: there may be more iterations than `least`
  void* operation = nullptr;  ///< operation of the file; null: inserted step
  int pair = -1;              ///< inserted step: number of the flag pair or clean
  int low = 0, high = 0;      ///< loop: half-open range of the accesses in it
  int depth = 0;              ///< loop: nesting depth, 1 for the outermost
};

struct Program {
  Body body;
  std::vector<Access> accesses;
  int facts = 0;
  std::vector<int> access_of;   ///< by fact: the access it describes
  std::vector<Bits> conflicts;  ///< by access: the facts that must be ordered before it
  std::vector<Bits> overlaps;   ///< by access in global memory: the accesses to the same bytes
  std::vector<Bits> lines;      ///< by access in global memory: the accesses to the same lines of the data cache
  Bits scalar_stores;           ///< facts that are stores of the scalar unit
};

}  // namespace ptox::assembly::sync
