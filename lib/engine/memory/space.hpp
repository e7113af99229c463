// SPDX-License-Identifier: Apache-2.0
// The bytes of one on-chip buffer and the tiles that occupy them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/memory/needs.hpp"
#include "engine/memory/owners.hpp"
#include "pto/tile/layout.hpp"
#include "ptox/target.hpp"

namespace ptox {

/// `n` rounded up to the alignment of tiles and DMA bursts.
constexpr std::int64_t block_aligned(std::int64_t n) {
  return (n + pto::BLOCK_BYTE_SIZE - 1) / pto::BLOCK_BYTE_SIZE * pto::BLOCK_BYTE_SIZE;
}

/// One buffer of a core: its bytes, and the ranges that tiles occupy.
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
  /// The first byte. The first use reserves address space, whose pages are committed when they are touched.
  std::byte* base() { return base_ ? base_ : reserve(); }

  /// The same without reserving, for callers for whom `holds` has returned true.
  std::byte* begin() const { return base_; }
  /// Whether these bytes lie in the buffer, and it has been reserved.
  bool holds(std::int64_t offset, std::int64_t bytes) const { return base_ && offset >= 0 && offset <= bytes_ - bytes; }
  bool contains(const std::byte* p) const { return base_ && p >= base_ && p < base_ + bytes_; }

  /// Starts a launch with no byte occupied. With `poisoned`, bytes are overwritten with a poison value when a tile
  /// first occupies them.
  void start(bool poisoned);
  /// Starts the next launch of plain calls: automatic tiles that are still alive keep their places.
  void go_on() { assigned_.clear(); }
  /// A tile occupies [begin, end) from now on: poisons the bytes that no tile of this launch has occupied before.
  void reach(std::int64_t begin, std::int64_t end);

  struct Interval {
    std::int64_t begin, end;
    pto::instr::Site site{};  ///< of the first use of an automatic tile
  };
  /// Occupies [begin, end) for TASSIGN for the rest of the launch. Returns an automatic tile that overlaps it, or
  /// nullptr; valid until the next call.
  const Interval* hold(std::int64_t begin, std::int64_t end);
  /// Occupies the lowest free 32-byte-aligned range of that size below `limit` for an automatic tile. Returns its
  /// offset, or -1 if there is none.
  std::int64_t take(std::int64_t size, std::int64_t limit, const pto::instr::Site& site);
  void give_back(std::int64_t begin);
  /// The end of the highest occupied range.
  std::int64_t used() const;
  /// The total size of automatic tiles that are alive.
  std::int64_t automatic_bytes() const;
  /// The number of bytes from `offset` to the next occupied range that begins above it, or to the limit; 0 beyond the
  /// limit.
  std::int64_t room_at(std::int64_t offset, std::int64_t limit) const;
  /// The largest size for which `take` would succeed.
  std::int64_t largest_hole(std::int64_t limit) const;
  /// The placements of tiles, accumulated over blocks and launches of plain calls until the log is taken.
  OwnerLog& owners() { return owners_; }
  /// The placements that exceeded a budget, accumulated likewise.
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
/// The number of a tile type's buffer: Vec lies in UB, Mat in L1, Left, Right and Acc in L0A, L0B and L0C, others in
/// one more buffer.
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
