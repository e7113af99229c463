// SPDX-License-Identifier: Apache-2.0
// Issues an instruction in a block on a GPU: rules, waiting, checks, body.
#pragma once

#include "pto/cuda/call.hpp"
#include "pto/cuda/indexed.hpp"
#include "pto/cuda/place.hpp"
#include "pto/cuda/say.hpp"
#include "pto/cuda/tile_moves.hpp"
#include "pto/cuda/transfer.hpp"
#include "pto/cuda/watch.hpp"
#include "pto/isa/all.hpp"

namespace pto::instr::cuda {

template <class I>
PTO_INTERNAL bool usable(const char* name, const TensorDesc& t, instr::Site site) {
  if (t.base) return true;
  const std::int64_t elements = t.numel();
  if (elements != 0) report_null(number_of<I>, name, elements, site);
  return elements == 0;
}
template <class I>
PTO_INTERNAL bool usable(const char*, const TileDesc& t, instr::Site) {
  return t.offset >= 0;  // otherwise its placement has reported the reason
}

/// Whether every tensor has a base address and every tile a place. Reports null tensors.
template <class I>
PTO_INTERNAL bool all_usable(const typename I::Operands& o, instr::Site site) {
  bool ok = true;
  I::OperandList::each(o, [&]<class F>(F, const auto& d) { ok = usable<I>(F::name, d, site) && ok; });
  return ok;
}

template <class I>
PTO_INTERNAL bool rules_hold(const typename I::Operands& o) {
  constexpr ptox::Target target = ptox::target::cuda;
  return I::Rules::hold(target, o);
}

/// Checks the instruction in a checked launch; returns true if it would leave an allocation and must not be executed. A
/// kernel gets registers for everything that it may call, checked or not; therefore only code that is compiled with
/// PTO_CUDA_CHECKS checks more than indices.
template <class I>
PTO_INTERNAL bool kept_back(const typename I::Operands& o, instr::Site site) {
#ifdef PTO_CUDA_CHECKS
  if (!Block::state().launch.checked) return false;
  if constexpr (requires { I::writes_once(o); })
    if (I::writes_once(o)) return !watch<I, true>(o, site);
  if constexpr (watched<I>) return !watch<I, false>(o, site);
#else
  if constexpr (requires { bounds(o); })
    if (Block::state().launch.checked) watch_indices_of<I>(o, site);
#endif
  return false;
}

/// Whether an instruction starts asynchronous copies into UB, or out of UB, and whether it writes global memory.
template <class I>
inline constexpr bool fetches_behind = std::is_same_v<I, instr::Tload> || std::is_same_v<I, instr::Mgather>;
template <class I>
inline constexpr bool stores_behind = std::is_same_v<I, instr::Tstore>;
template <class I>
inline constexpr bool writes_gm = std::is_same_v<I, instr::Tstore> || std::is_same_v<I, instr::Mscatter>;

PTO_INTERNAL Copy copy_of(const instr::Tload::Operands& o) { return {bytes_of(o.dst), bytes_of(o.src)}; }
PTO_INTERNAL Copy copy_of(const instr::Mgather::Operands& o) { return {bytes_of(o.dst), bytes_of(o.table)}; }
PTO_INTERNAL Copy copy_of(const instr::Tstore::Operands& o) { return {bytes_of(o.src), bytes_of(o.dst)}; }

/// Whether a copy overlaps a tile or a tensor of the instruction.
PTO_INTERNAL bool meets_ub(const Copy& c, const TileDesc& t) { return c.ub.meets(bytes_of(t)); }
PTO_INTERNAL bool meets_ub(const Copy&, const TensorDesc&) { return false; }
PTO_INTERNAL bool meets_gm(const Copy&, const TileDesc&) { return false; }
PTO_INTERNAL bool meets_gm(const Copy& c, const TensorDesc& t) { return c.gm.meets(bytes_of(t)); }

/// How many of the latest copies may stay in progress while the instruction is executed.
struct Staying {
  int loads, reads, stores;  ///< into UB; out of UB until they have been read there; out of UB until they are complete

  template <class I>
  PTO_INTERNAL static Staying beside(const typename I::Operands& o, const State& s, Count warp) {
    const auto in_ub = [&](const Copy& c) {
      bool any = false;
      I::OperandList::each(o, [&]<class F>(F, const auto& d) { any = any || meets_ub(c, d); });
      return any;
    };
    const auto in_gm = [&](const Copy& c) {
      bool any = false;
      I::OperandList::each(o, [&]<class F>(F, const auto& d) { any = any || meets_gm(c, d); });
      return any;
    };
    Staying stay{.loads = s.loads.may_stay(warp, [&](const Copy& c) { return in_ub(c) || (writes_gm<I> && in_gm(c)); }),
                 .reads = s.stores.may_stay(warp, in_ub),
                 .stores = s.stores.may_stay(warp, in_gm)};
    if (fetches_behind<I> && stay.loads == s.loads.most) --stay.loads;  // this instruction starts one more
    if (stores_behind<I> && stay.stores == s.stores.most) --stay.stores;
    return stay;
  }
};

/// Waits, in all threads, for the copies that overlap the operands of the instruction, and counts those that it starts.
template <class I>
PTO_INTERNAL void await(const typename I::Operands& o) {
  State& s = Block::state();
  const Count warp = Block::tid() / 32;
  const Staying stay = Staying::beside<I>(o, s, warp);
  if (stay.loads < s.loads.under_way(warp)) Block::wait_fetched(stay.loads);
  if (const int stored = s.stores.under_way(warp); stored != 0 && Block::tid() < Block::storing_threads) {
    if (stay.stores < stored) Block::wait_stored(stay.stores);
    if (stay.reads < stored) Block::wait_read(stay.reads);
  }
  if constexpr (fetches_behind<I>)
    if (Block::tid() == 0) s.loads.note(warp, copy_of(o));
  if constexpr (stores_behind<I>) {
    if (Block::tid() == 0) s.stores.note(warp, copy_of(o));
    Block::show_to_stores();
  }
  __syncthreads();
  if (Block::tid() % 32 == 0) {
    s.loads.waited(warp, stay.loads), s.stores.waited(warp, stay.stores);
    if (fetches_behind<I>) s.loads.begin(warp);
    if (stores_behind<I>) s.stores.begin(warp), s.wrote[warp] = 0;
  }
  __syncwarp();
}

// Instructions wait for overlapping copies themselves, so that flags between pipes need no action. The scalar code of
// the kernel does not: it waits at flags and barriers for S.
PTO_INTERNAL bool scalar_waits(const instr::SetFlag::Operands& o) { return o.dst == PIPE_S || o.dst == PIPE_ALL; }
PTO_INTERNAL bool scalar_waits(const instr::PipeBarrier::Operands& o) { return o.pipe == PIPE_S || o.pipe == PIPE_ALL; }
PTO_INTERNAL bool scalar_waits(const instr::Dcci::Operands&) { return false; }
PTO_INTERNAL bool scalar_waits(const instr::Dsb::Operands&) { return true; }
/// Whether the instruction orders stores of the kernel's scalar code before later instructions. One for which
/// scalar_waits holds does so too.
PTO_INTERNAL bool scalar_wrote(const instr::SetFlag::Operands& o) { return o.src == PIPE_S; }
PTO_INTERNAL bool scalar_wrote(const instr::Dcci::Operands&) { return true; }
PTO_INTERNAL bool scalar_wrote(const auto&) { return false; }

}  // namespace pto::instr::cuda

namespace pto::instr {

template <class I>
PTO_INTERNAL void issue_move(const typename I::Operands& o, bool open, Site site) {
  if (open && !cuda::rules_hold<I>(o)) return cuda::report_illegal<I>(o, site);
  if (!cuda::all_usable<I>(o, site)) return;
  cuda::await<I>(o);
  if (!cuda::kept_back<I>(o, site)) {
    cuda::Block b;
    cuda::body(b, o);
  }
  if (cuda::fetches_behind<I>) cuda::Block::end_fetch();
  if (cuda::stores_behind<I> && cuda::Block::tid() < cuda::Block::storing_threads) cuda::Block::end_store();
}

template <class I>
PTO_INTERNAL void issue(const typename I::Operands& o, TargetMask, bool open, Site site) {
  if constexpr (requires(cuda::Block& b) { cuda::body(b, o); })
    issue_move<I>(o, open, site);
  else if (cuda::scalar_waits(o))
    cuda::Block::finish(), cuda::Block::note_written();
  else if (cuda::scalar_wrote(o))
    cuda::Block::note_written();
}

}  // namespace pto::instr

AICORE inline int get_block_idx() { return static_cast<int>(blockIdx.x); }
AICORE inline int get_block_num() { return static_cast<int>(gridDim.x); }
AICORE inline int get_coreid() { return static_cast<int>(blockIdx.x); }
