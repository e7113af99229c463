// SPDX-License-Identifier: Apache-2.0
// What happens when a block on a GPU comes to an instruction?
#pragma once

#include "pto/cuda/indexed.hpp"
#include "pto/cuda/place.hpp"
#include "pto/cuda/say.hpp"
#include "pto/cuda/tile_moves.hpp"
#include "pto/cuda/transfer.hpp"
#include "pto/cuda/watch.hpp"
#include "pto/isa/all.hpp"

namespace pto::cuda {

template <class I>
PTO_INTERNAL bool usable(const char* name, const TensorDesc& t, instr::Site site) {
  if (t.base) return true;
  const std::int64_t elements = t.numel();
  if (elements != 0) report_null(number_of<I>, name, elements, site);
  return elements == 0;
}
template <class I>
PTO_INTERNAL bool usable(const char*, const TileDesc& t, instr::Site) {
  return t.offset >= 0;  // else that was said when it found no room
}

/// Every tensor has a base and every tile a place.
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

// An instruction begins when all before it are done, so that flags between pipes are kept already. The kernel's own
// code does not: it waits where it says so.
PTO_INTERNAL bool scalar_waits(const instr::SetFlag::Operands& o) { return o.dst == PIPE_S || o.dst == PIPE_ALL; }
PTO_INTERNAL bool scalar_waits(const instr::PipeBarrier::Operands& o) { return o.pipe == PIPE_S || o.pipe == PIPE_ALL; }
PTO_INTERNAL bool scalar_waits(const instr::Dcci::Operands&) { return false; }
PTO_INTERNAL bool scalar_waits(const instr::Dsb::Operands&) { return true; }

}  // namespace pto::cuda

namespace pto::instr {

template <class I>
PTO_INTERNAL void issue_move(const typename I::Operands& o, bool open, Site site) {
  if (open && !cuda::rules_hold<I>(o)) return cuda::report_illegal<I>(o, site);
  if (!cuda::all_usable<I>(o, site)) return;
  cuda::Block::sync();
  if constexpr (requires { cuda::bounds(o); })
    if (cuda::Block::state().launch.checked) cuda::watch_indices<I>(o, site);
  cuda::Block b;
  cuda::body(b, o);
}

template <class I>
PTO_INTERNAL void issue(const typename I::Operands& o, TargetMask, bool open, Site site) {
  if constexpr (requires(cuda::Block& b) { cuda::body(b, o); })
    issue_move<I>(o, open, site);
  else if (cuda::scalar_waits(o))
    cuda::Block::sync();
}

}  // namespace pto::instr

AICORE inline int get_block_idx() { return static_cast<int>(blockIdx.x); }
AICORE inline int get_block_num() { return static_cast<int>(gridDim.x); }
AICORE inline int get_coreid() { return static_cast<int>(blockIdx.x); }
