// SPDX-License-Identifier: Apache-2.0
// What the collectives share: errors, agreement of operands, and iteration by chunks.
#pragma once

#include <cstdint>

#include "comm/member.hpp"
#include "core/core.hpp"
#include "pto/comm/chunks.hpp"
#include "pto/isa/sync.hpp"

namespace ptox::comm {

using pto::comm::detail::Staging;
using pto::comm::detail::Tensors;
using pto::instr::Site;
using pto::instr::TensorDesc;
using pto::instr::Text;
using pto::instr::TileDesc;

/// One call of a collective: its name, where it was called, and the rank that did.
class Call {
 public:
  Call(const char* mnemonic, Site site)
      : mnemonic_(mnemonic), site_(site), core_(current_core()), member_(core_.run().member) {}

  const char* mnemonic() const { return mnemonic_; }
  Site site() const { return site_; }
  Core& core() const { return core_; }
  Member* member() const { return member_; }

  /// A finding of that kind; the group ends.
  void error(FindingKind kind, const Text& text) const;

 private:
  const char* mnemonic_;
  Site site_;
  Core& core_;
  Member* member_;
};

/// The rank that calls, of a group whose root is in range: the one that has the root's tensor, else the one of that
/// number.
int root_rank(const Member& member, const Tensors& group);
/// Whether the call may begin: a root in range that is the caller, living ranks, tensors of one shape, the staging tile
/// in its place. Says what is wrong.
bool may_begin(const Call& call, const Tensors& group, const Staging& staging);
/// Whether the root's own tensor is its own and has at least `factor` times the rows of a rank's.
bool agrees(const Call& call, const Tensors& group, const TensorDesc& own, const char* name, int factor);
/// The parts of these: whether the group has not ended, whether a tensor is in the caller's memory, whether its rank
/// lives, whether data is staged in UB.
bool group_goes_on(const Call& call);
bool is_own(const Call& call, const TensorDesc& tensor, const char* name);
bool lives(const Call& call, const TensorDesc& tensor);
bool staged_in_place(const Call& call, const Staging& staging);
/// Whether the staging tiles can carry what a rank has: at once, or in chunks. Says what is wrong.
bool carries(const Call& call, const Staging& staging, const TensorDesc& block);

/// A rectangle of a rank's block, and where it begins.
struct Chunk {
  std::int64_t at[5];
  std::int64_t rows, cols;
  bool whole;  ///< all rows of all outer indices at once
};

/// rows x cols of a tensor from the chunk's place on, `first_row` rows further.
TensorDesc chunk_of(const TensorDesc& tensor, const Chunk& chunk, std::int64_t first_row = 0);

/// How a block is cut.
struct Steps {
  std::int64_t rows, cols;
  bool whole = false;  ///< not at all, though outer indices are many
};
/// By the staging tile.
Steps by_tile(const Core& core, const Staging& staging, const TensorDesc& block);

/// Calls visit(chunk) for each chunk of a rank's block, in order; ends when it says false.
template <class V>
bool each_chunk(const TensorDesc& block, const Steps& steps, V&& visit);

/// Bytes of a tensor's elements.
inline std::int64_t bytes_of(const TensorDesc& t) { return t.numel() * pto::instr::size_of(t.dtype); }
/// As much of a tensor as a rank has.
inline TensorDesc with_rows(TensorDesc tensor, std::int64_t rows) {
  tensor.shape[3] = rows;
  return tensor;
}

/// Counts rows as they are delivered, for whoever waits.
class Delivery {
 public:
  /// Of that many blocks.
  Delivery(const Call& call, const TensorDesc& block, int times);
  /// False: the group has ended, and that was said.
  bool add(const Chunk& chunk);

 private:
  bool tell() const;

  const Call& call_;
  std::int64_t width_, rows_ = 0, of_rows_;
};

/// Loads into, and stores from, the staging tiles: with two, the store of one overlaps the load of the other.
class Conveyor {
 public:
  /// `bytes` will be stored in all.
  Conveyor(const Call& call, const Staging& staging, std::int64_t bytes);
  /// Every tile is free again.
  ~Conveyor();
  Conveyor(const Conveyor&) = delete;
  Conveyor& operator=(const Conveyor&) = delete;

  /// Whether `move` takes blocks larger than the tile, piece by piece: on the unchecked host, where rows lie together.
  bool carries(const TensorDesc& from, const TensorDesc& to) const;
  /// How to cut blocks that `move` takes: by the tile, or by as many rows as are worth saying.
  Steps steps(const TensorDesc& from, const TensorDesc& to) const;
  /// Global memory to the next tile and on to global memory.
  void move(const TensorDesc& from, const TensorDesc& to, std::int64_t rows, std::int64_t cols,
            pto::AtomicType atomic = pto::AtomicType::AtomicNone);
  /// The first half: the tile that holds it, which MTE3 may store from now on.
  TileDesc load(const TensorDesc& from, std::int64_t rows, std::int64_t cols);
  /// The second half, once more for each place it goes to.
  void store(const TensorDesc& to, const TileDesc& tile, pto::AtomicType atomic = pto::AtomicType::AtomicNone);
  /// After the last store of that tile.
  void stored();

 private:
  const Call& call_;
  const Staging& staging_;
  bool machine_, streams_ = false;
  int next_ = 0;
  bool busy_[2] = {};
  event_t loaded_[2] = {}, free_[2] = {};
};

/// Whether the whole block is one chunk.
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

/// The walk of TSCATTER and TGATHER: calls move(conveyor, own rows, the rank's rows, chunk) for each chunk of each
/// rank.
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
