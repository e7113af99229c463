// SPDX-License-Identifier: Apache-2.0
// Scatters small blocks to many ranks along a binomial tree, in which ranks forward the blocks of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "ptox/ranks.hpp"

namespace ptox {

namespace detail {

/// The parameters of one call; see TreeScatter. Sizes in bytes; places in symmetric memory.
struct TreeCall {
  int root = 0;
  std::size_t block_bytes = 0, scratch = 0, signals = 0;
  std::uint32_t came = 0;  ///< sum of (root + 1) over the calls in which this rank received blocks so far
  std::int32_t freed = 0;  ///< signals due so far from the ranks below, sent when they have forwarded all
  bool same_root = true;   ///< the same root as in the previous call
};
/// Runs the call. Returns the number of ranks directly below this one in the tree, each of which will signal when it
/// has forwarded everything.
std::int32_t tree_scatter(comm::Member& member, const TreeCall& call, const std::byte* all, std::byte* mine);
/// The number of blocks that a rank may have to forward.
std::int64_t tree_scratch_blocks(int ranks);

}  // namespace detail

/// mine = block r of all, at every rank r, in about log2(ranks) steps instead of one message from the root to each
/// rank. For blocks so small that the number of messages determines the time. All ranks call it, whereas TSCATTER is
/// called by the root only. All ranks construct it, in the same order.
template <class T>
class TreeScatter {
 public:
  /// Blocks of `count` elements.
  TreeScatter(Rank& rank, std::int64_t count)
      : rank_(rank),
        count_(count),
        scratch_(rank.symmetric<T>(count * detail::tree_scratch_blocks(rank.size()))),
        signals_(rank.symmetric<std::int32_t>(2)) {}

  /// `all` is read at the root only: size() blocks, by rank. Returns when this rank has its block and has forwarded
  /// those of others. Throws std::invalid_argument at the root when `all` has another size, and RanksError when the
  /// group ends, which happens when ranks call with different roots.
  void operator()(int root, std::span<const T> all, T* mine) {
    const auto blocks = static_cast<std::int64_t>(all.size());
    if (root < 0 || root >= rank_.size())
      throw std::invalid_argument("TreeScatter: root " + std::to_string(root) + " of " + std::to_string(rank_.size()) +
                                  " ranks");
    if (rank_.id() == root && blocks != count_ * rank_.size())
      throw std::invalid_argument("TreeScatter: all has " + std::to_string(blocks) + " elements, " +
                                  std::to_string(rank_.size()) + " blocks of " + std::to_string(count_) + " are " +
                                  std::to_string(count_ * rank_.size()));
    detail::TreeCall call{.root = root,
                          .block_bytes = static_cast<std::size_t>(count_) * sizeof(T),
                          .scratch = scratch_.place(),
                          .signals = signals_.place(),
                          .came = came_,
                          .freed = freed_,
                          .same_root = last_root_ < 0 || root == last_root_};
    last_root_ = root;
    if (rank_.id() != root) came_ += static_cast<std::uint32_t>(root) + 1;
    freed_ += detail::tree_scatter(rank_.member(), call, reinterpret_cast<const std::byte*>(all.data()),
                                   reinterpret_cast<std::byte*>(mine));
  }

 private:
  Rank& rank_;
  std::int64_t count_;
  Symmetric<T> scratch_;
  Symmetric<std::int32_t> signals_;  ///< [0]: sum of root + 1 over all receptions; [1]: signals of the ranks below
  std::uint32_t came_ = 0;
  std::int32_t freed_ = 0;
  int last_root_ = -1;  ///< -1: no call yet
};

}  // namespace ptox
