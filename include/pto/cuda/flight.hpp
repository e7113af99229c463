// SPDX-License-Identifier: Apache-2.0
// The copies of a block that are in progress, and those that an instruction has to wait for.
//
// An instruction waits for the copies that touch what it touches, and for no others. Each warp counts for itself how
// many were begun and how many are known to be done; what they touch is written once, before the barrier that every
// instruction begins with, where nobody looks yet.
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
/// All that rows, columns or single elements of the tensor may lie in.
PTO_INTERNAL GmBytes bytes_of(const instr::TensorDesc& t) {
  const auto base = reinterpret_cast<std::uint64_t>(t.base);
  std::int64_t elements = 1, low = 0, high = 1;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t far = (t.shape[i] - 1) * t.stride[i];
    elements *= t.shape[i], (far < 0 ? low : high) += far;
  }
  if (elements <= 0) return {~std::uint64_t{0}, 0};  // which meets nothing
  if (elements > high) high = elements;
  const std::int64_t size = instr::size_of(t.dtype);
  return {base + static_cast<std::uint64_t>(low * size), base + static_cast<std::uint64_t>(high * size)};
}

/// One copy between UB and global memory.
struct Copy {
  UbBytes ub;
  GmBytes gm;
};

/// The latest copies of one kind, in the order they were begun; at most `most_at_once` are under way.
template <int most_at_once>
class Flight {
 public:
  static constexpr int most = most_at_once, warps = 32;

  PTO_INTERNAL void clear(std::uint32_t warp) { begun_[warp] = done_[warp] = 0; }
  PTO_INTERNAL int under_way(std::uint32_t warp) const { return (begun_[warp] - done_[warp]) & 0xFF; }
  /// How many of the latest may stay under way, so that none of the others is one for which `in_the_way(copy)` holds.
  template <class F>
  PTO_INTERNAL int may_stay(std::uint32_t warp, F&& in_the_way) const {
    const int all = under_way(warp), begun = begun_[warp];
    for (int stay = 0; stay < all; ++stay)
      if (in_the_way(copies_[(begun - 1 - stay) & (places - 1)])) return stay;
    return all;
  }
  /// What the next one touches, by one thread, before the barrier.
  PTO_INTERNAL void note(std::uint32_t warp, const Copy& copy) { copies_[begun_[warp] & (places - 1)] = copy; }
  /// The one that was noted begins, by one thread of each warp, behind the barrier.
  PTO_INTERNAL void begin(std::uint32_t warp) { ++begun_[warp]; }
  /// All but the latest `stay` are done.
  PTO_INTERNAL void waited(std::uint32_t warp, int stay) {
    done_[warp] = static_cast<std::uint8_t>(begun_[warp] - stay);
  }

 private:
  static constexpr int places = 2 * most;  ///< nobody looks at the one that is noted
  static_assert(256 % places == 0, "counts go round at 256");
  Copy copies_[places];
  std::uint8_t begun_[warps], done_[warps];
};

}  // namespace pto::instr::cuda
