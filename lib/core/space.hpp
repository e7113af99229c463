// SPDX-License-Identifier: Apache-2.0
// The bytes of one on-chip buffer and their owners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/needs.hpp"
#include "core/owners.hpp"
#include "pto/tile/layout.hpp"
#include "ptox/target.hpp"

namespace ptox {

/// The next address at which tiles and bursts may begin.
constexpr std::int64_t block_aligned(std::int64_t n) {
  return (n + pto::BLOCK_BYTE_SIZE - 1) / pto::BLOCK_BYTE_SIZE * pto::BLOCK_BYTE_SIZE;
}

/// One buffer of a core: bytes of the target's size, and the places that tiles hold in it.
class Space {
 public:
  Space() = default;
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;
  ~Space();

  std::int64_t bytes() {
    base();
    return bytes_;
  }
  void set_bytes(std::size_t n) { bytes_ = static_cast<std::int64_t>(n); }
  /// The first byte; reserves the buffer on first use, pages committed as touched.
  std::byte* base() { return base_ ? base_ : reserve(); }

  /// The same where `holds` was true.
  std::byte* begin() const { return base_; }
  /// Whether these bytes lie in the buffer, and something has used it.
  bool holds(std::int64_t offset, std::int64_t bytes) const { return base_ && offset >= 0 && offset <= bytes_ - bytes; }
  bool contains(const std::byte* p) const { return base_ && p >= base_ && p < base_ + bytes_; }

  /// A fresh launch: nobody holds anything, and with `poisoned` every byte counts as never written.
  void start(bool poisoned);
  /// The next plain launch: automatic tiles that still live keep their holes.
  void go_on() { assigned_.clear(); }
  /// A tile lies at [begin, end) from now on: bytes new to this launch are poisoned.
  void reach(std::int64_t begin, std::int64_t end);

  struct Interval {
    std::int64_t begin, end;
    pto::instr::Site site{};  ///< that gave an automatic tile its place
  };
  /// TASSIGN holds [begin, end) for the rest of the launch. The live automatic tile that lies there, or null; good
  /// until the next call.
  const Interval* hold(std::int64_t begin, std::int64_t end);
  /// The lowest 32-byte-aligned hole of that size below `limit`, now taken; -1 when there is none.
  std::int64_t take(std::int64_t size, std::int64_t limit, const pto::instr::Site& site);
  void give_back(std::int64_t begin);
  /// The highest byte that is held.
  std::int64_t used() const;
  /// The bytes of live automatic tiles.
  std::int64_t automatic_bytes() const;
  /// The bytes from `offset` to the next place above it that is held, or to the limit; 0 past it.
  std::int64_t room_at(std::int64_t offset, std::int64_t limit) const;
  /// The most bytes that `take` could give.
  std::int64_t largest_hole(std::int64_t limit) const;
  /// Who got which places, until it is taken: blocks and plain launches add up.
  OwnerLog& owners() { return owners_; }
  /// What was asked for past a budget, likewise.
  NeedLog& needs() { return needs_; }

 private:
  std::byte* reserve();
  static bool merge(std::vector<Interval>&, Interval);
  static const Interval* overlapping(const std::vector<Interval>&, std::int64_t begin, std::int64_t end);

  std::byte* base_ = nullptr;
  std::int64_t bytes_ = 0;
  bool poison_ = false;
  std::vector<Interval> assigned_, automatic_, reached_;
  OwnerLog owners_;
  NeedLog needs_;
};

inline constexpr int space_count = 6;
/// Vec lives in UB, Mat in L1, Left, Right and Acc in L0A, L0B and L0C, the rest in a buffer of its own.
constexpr int space_of(pto::TileType t) {
  const int i = static_cast<int>(t);
  return i < 5 ? i : 5;
}
constexpr const char* space_name(pto::TileType t) {
  constexpr const char* names[] = {"UB", "L1", "L0A", "L0B", "L0C", "the side buffer"};
  return names[space_of(t)];
}
std::size_t space_bytes(const Target&, int space);

}  // namespace ptox
