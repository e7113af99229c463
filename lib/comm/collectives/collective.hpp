// SPDX-License-Identifier: Apache-2.0
// Code that all collectives share: errors, checks of operands, and iteration over chunks.
#pragma once

#include <cstdint>

#include "comm/group/member.hpp"
#include "engine/core/core.hpp"
#include "pto/comm/chunks.hpp"
#include "pto/isa/sync.hpp"

namespace ptox::comm {

using pto::comm::detail::Staging;
using pto::comm::detail::Tensors;
using pto::instr::Site;
using pto::instr::TensorDesc;
using pto::instr::Text;
using pto::instr::TileDesc;

/// One call of a collective: its name, its call site, and the calling rank.
class Call {
 public:
  Call(const char* mnemonic, Site site)
      : mnemonic_(mnemonic), site_(site), core_(current_core()), member_(member_of(core_)) {}

  const char* mnemonic() const { return mnemonic_; }
  Site site() const { return site_; }
  Core& core() const { return core_; }
  Member* member() const { return member_; }

  /// Reports a finding of that kind and ends the group.
  void error(FindingKind kind, const Text& text) const;

 private:
  const char* mnemonic_;
  Site site_;
  Core& core_;
  Member* member_;
};

/// The rank that has to call the collective. Precondition: group.root is in range. It is the rank whose symmetric
/// memory holds the root's tensor; for other memory, rank group.root if the group contains all ranks, otherwise the
/// caller.
int root_rank(const Member& member, const Tensors& group);
/// Whether the call is valid: the root is in range and is the caller, the ranks are alive, their tensors have one shape
/// and the staging tile is usable. Reports what is wrong.
bool may_begin(const Call& call, const Tensors& group, const Staging& staging);
/// Whether `own`, an operand with that name, is in the caller's memory and has at least `factor` times as many rows as
/// the tensor of a rank, and the same other extents. Reports what is wrong.
bool agrees(const Call& call, const Tensors& group, const TensorDesc& own, const char* name, int factor);
/// The single checks of these functions, which report what is wrong: whether the group has not ended, whether a tensor
/// is in the caller's memory, whether its rank is alive, whether the staging tile is a valid Vec tile.
bool group_goes_on(const Call& call);
bool is_own(const Call& call, const TensorDesc& tensor, const char* name);
bool lives(const Call& call, const TensorDesc& tensor);
bool staged_in_place(const Call& call, const Staging& staging);
/// Whether the staging tiles can transfer the tensor of a rank, at once or in chunks. Reports what is wrong.
bool carries(const Call& call, const Staging& staging, const TensorDesc& block);

/// A rectangle of a block, which is the tensor of one rank.
struct Chunk {
  std::int64_t at[5];  ///< index of the first element
  std::int64_t rows, cols;
  bool whole;  ///< the chunk is the whole block with all outer indices
};

/// The part of a tensor that corresponds to the chunk, moved down by `first_row` rows.
TensorDesc chunk_of(const TensorDesc& tensor, const Chunk& chunk, std::int64_t first_row = 0);

/// The size of the chunks into which a block is divided.
struct Steps {
  std::int64_t rows, cols;
  bool whole = false;  ///< the block, which has several outer indices, is a single chunk
};
/// Chunks that fit into the staging tile.
Steps by_tile(const Core& core, const Staging& staging, const TensorDesc& block);

/// Calls visit(chunk) for each chunk of a block, in order, until it returns false. Returns whether all were visited.
template <class V>
bool each_chunk(const TensorDesc& block, const Steps& steps, V&& visit);

/// The size of all elements of a tensor.
inline std::int64_t bytes_of(const TensorDesc& t) { return t.numel() * pto::instr::size_of(t.dtype); }
/// The same tensor with that many rows.
inline TensorDesc with_rows(TensorDesc tensor, std::int64_t rows) {
  tensor.shape[3] = rows;
  return tensor;
}

/// Counts delivered rows and publishes the count, which extends the deadline of ranks that wait in a barrier.
class Delivery {
 public:
  /// `times`: the number of blocks that are delivered.
  Delivery(const Call& call, const TensorDesc& block, int times);
  /// Counts a chunk. Returns false, after reporting a finding, if the group has ended.
  bool add(const Chunk& chunk);

 private:
  bool tell() const;

  const Call& call_;
  std::int64_t width_, rows_ = 0, of_rows_;
};

/// Loads into the staging tiles and stores from them. With two tiles, the store of one overlaps the load of the other.
class Conveyor {
 public:
  /// `bytes`: the total number of bytes that will be stored, which decides on non-temporal stores.
  Conveyor(const Call& call, const Staging& staging, std::int64_t bytes);
  /// Waits until every tile has been stored.
  ~Conveyor();
  Conveyor(const Conveyor&) = delete;
  Conveyor& operator=(const Conveyor&) = delete;

  /// Whether `move` accepts blocks larger than the tile and divides them itself: on the unchecked host, if rows are
  /// contiguous.
  bool carries(const TensorDesc& from, const TensorDesc& to) const;
  /// The chunks for `move`: the size of the tile, or where blocks may be larger about 1 MiB, after each of which
  /// progress is published.
  Steps steps(const TensorDesc& from, const TensorDesc& to) const;
  /// Copies rows x cols elements from global memory to global memory through the next tile.
  void move(const TensorDesc& from, const TensorDesc& to, std::int64_t rows, std::int64_t cols,
            pto::AtomicType atomic = pto::AtomicType::AtomicNone);
  /// The first half of `move`: loads into the next tile and returns it; MTE3 waits for the load.
  TileDesc load(const TensorDesc& from, std::int64_t rows, std::int64_t cols);
  /// The second half of `move`: stores the loaded tile; called once for each destination.
  void store(const TensorDesc& to, const TileDesc& tile, pto::AtomicType atomic = pto::AtomicType::AtomicNone);
  /// Must be called after the last store of the loaded tile.
  void stored();

 private:
  const Call& call_;
  const Staging& staging_;
  bool machine_, streams_ = false;
  int next_ = 0;
  bool busy_[2] = {};
  event_t loaded_[2] = {}, free_[2] = {};
};

/// Whether the whole block fits into the staging tile.
bool fits(const Staging& staging, const TensorDesc& block);

template <class V>
bool each_chunk(const TensorDesc& block, const Steps& steps, V&& visit) {
  const std::int64_t* n = block.shape;
  if (block.numel() == 0) return true;
  if (steps.whole) return visit(Chunk{{}, n[0] * n[1] * n[2] * n[3], n[4], true});
  for (std::int64_t d0 = 0; d0 < n[0]; ++d0)
    for (std::int64_t d1 = 0; d1 < n[1]; ++d1)
      for (std::int64_t d2 = 0; d2 < n[2]; ++d2)
        for (std::int64_t r = 0; r < n[3]; r += steps.rows)
          for (std::int64_t c = 0; c < n[4]; c += steps.cols)
            if (!visit(
                    Chunk{{d0, d1, d2, r, c}, std::min(steps.rows, n[3] - r), std::min(steps.cols, n[4] - c), false}))
              return false;
  return true;
}

/// The common part of TSCATTER and TGATHER: checks the operands and calls move(conveyor, part of `own`, part of the
/// rank's tensor, chunk) for each chunk of each rank.
template <class F>
void move_by_rank(const Call& call, const Tensors& group, const TensorDesc& own, const char* name,
                  const Staging& staging, F&& move) {
  if (group.ranks == 0 || !may_begin(call, group, staging) || !agrees(call, group, own, name, group.ranks)) return;
  const TensorDesc block = group[0];
  if (!carries(call, staging, block)) return;
  const std::int64_t rows = block.shape[3];
  const TensorDesc part = with_rows(own, rows);
  Conveyor conveyor(call, staging, bytes_of(block) * group.ranks);
  const Steps steps = conveyor.steps(part, block);
  Delivery delivery(call, block, group.ranks);
  for (int rank = 0; rank < group.ranks; ++rank) {
    const TensorDesc theirs = group[rank];
    const bool went = each_chunk(block, steps, [&](const Chunk& c) {
      move(conveyor, chunk_of(part, c, rank * rows), chunk_of(theirs, c), c);
      return delivery.add(c);
    });
    if (!went) return;
  }
}

}  // namespace ptox::comm
