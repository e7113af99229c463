// SPDX-License-Identifier: Apache-2.0
// Tracks the asynchronous copies of a block, so that an instruction waits only for those that overlap its operands.
//
// Each warp has its own counts of the copies that were started and of those that are known to be complete. The bytes of
// a copy are recorded once for all warps, before the barrier at the beginning of each instruction, in an entry that no
// thread reads at that time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/tile/desc.hpp"
#include "pto/tile/qualifiers.hpp"

namespace pto::instr::cuda {

/// Bytes from `begin` to `end`.
template <class Address>
struct Between {
  Address begin, end;
  PTO_INTERNAL bool meets(const Between& other) const { return begin < other.end && other.begin < end; }
};
using UbBytes = Between<std::uint32_t>;
using GmBytes = Between<std::uint64_t>;

PTO_INTERNAL UbBytes bytes_of(const instr::TileDesc& t) {
  return {static_cast<std::uint32_t>(t.offset), static_cast<std::uint32_t>(t.end())};
}
/// A range that contains all rows, columns and single elements of the tensor.
PTO_INTERNAL GmBytes bytes_of(const instr::TensorDesc& t) {
  const auto base = reinterpret_cast<std::uint64_t>(t.base);
  std::int64_t elements = 1, low = 0, high = 1;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t far = (t.shape[i] - 1) * t.stride[i];
    elements *= t.shape[i], (far < 0 ? low : high) += far;
  }
  if (elements <= 0) return {~std::uint64_t{0}, 0};  // empty: overlaps nothing
  if (elements > high) high = elements;
  const std::int64_t size = instr::size_of(t.dtype);
  return {base + static_cast<std::uint64_t>(low * size), base + static_cast<std::uint64_t>(high * size)};
}

/// One copy between UB and global memory.
struct Copy {
  UbBytes ub;
  GmBytes gm;
};

/// The latest copies of one kind, in the order in which they were started; at most `most_at_once` are in progress.
template <int most_at_once>
class Flight {
 public:
  static constexpr int most = most_at_once, warps = 32;

  PTO_INTERNAL void clear(std::uint32_t warp) { begun_[warp] = done_[warp] = 0; }
  PTO_INTERNAL int under_way(std::uint32_t warp) const { return (begun_[warp] - done_[warp]) & 0xFF; }
  /// How many copies were started after the last copy in progress for which `in_the_way(copy)` holds: these may stay in
  /// progress; the others have to be waited for.
  template <class F>
  PTO_INTERNAL int may_stay(std::uint32_t warp, F&& in_the_way) const {
    const int all = under_way(warp), begun = begun_[warp];
    for (int stay = 0; stay < all; ++stay)
      if (in_the_way(copies_[(begun - 1 - stay) & (places - 1)])) return stay;
    return all;
  }
  /// Records the bytes of the next copy. Called by one thread, before the barrier.
  PTO_INTERNAL void note(std::uint32_t warp, const Copy& copy) { copies_[begun_[warp] & (places - 1)] = copy; }
  /// Counts the recorded copy as started. Called by one thread of each warp, after the barrier.
  PTO_INTERNAL void begin(std::uint32_t warp) { ++begun_[warp]; }
  /// Records that all copies but the latest `stay` are complete.
  PTO_INTERNAL void waited(std::uint32_t warp, int stay) {
    done_[warp] = static_cast<std::uint8_t>(begun_[warp] - stay);
  }

 private:
  static constexpr int places = 2 * most;  ///< more than are in progress: no thread reads the entry that `note` writes
  static_assert(256 % places == 0, "counts go round at 256");
  Copy copies_[places];
  std::uint8_t begun_[warps], done_[warps];
};

}  // namespace pto::instr::cuda
