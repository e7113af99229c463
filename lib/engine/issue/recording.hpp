// SPDX-License-Identifier: Apache-2.0
// Records an instruction as a step that can be replayed.
#pragma once

#include <type_traits>
#include <utility>

#include "engine/core/record.hpp"
#include "engine/issue/machine.hpp"
#include "pto/isa/all.hpp"

namespace pto::instr {

using ptox::Core;

/// The piece of an effect that begins at `at`, as offsets in a buffer of the core or addresses in global memory.
template <class I>
ptox::Step::Touch placed(Core& core, const typename I::Operands& o, const Effect& e, const std::byte* at) {
  int space = -1;
  auto begin = reinterpret_cast<std::uint64_t>(at);
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, TileDesc>)
      if (F::name == e.operand) {
        space = ptox::space_of(d.loc);
        begin = static_cast<std::uint64_t>(at - core.space(d.loc).base());
      }
  });
  return {e.pipe, e.access, space, begin, begin + static_cast<std::uint64_t>(e.range.bytes)};
}

/// Passes the instruction to the recorder; called before it is executed.
template <class I>
void record(Core& core, const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  ptox::Step step;
  step.mnemonic = I::mnemonic, step.site = site, step.block = core.run().block;
  step.again = [o, legal, open, site] { issue<I>(o, legal, open, site); };
  if constexpr (std::is_same_v<I, SetFlag> || std::is_same_v<I, WaitFlag>)
    step.kind = std::is_same_v<I, SetFlag> ? ptox::Step::Kind::set : ptox::Step::Kind::wait, step.src = o.src,
    step.dst = o.dst, step.id = o.id;
  else if constexpr (std::is_same_v<I, PipeBarrier>)
    step.kind = ptox::Step::Kind::barrier, step.src = o.pipe;
  if constexpr (requires { I::own_flags(core.target(), o); }) step.own = I::own_flags(core.target(), o);
  if constexpr (requires { I::updates_plainly(core.target(), o); })
    step.plain_update = I::updates_plainly(core.target(), o);
  ptox::Machine m(core, site);
  I::effects(m, o, [&](const Effect& e) {
    for (std::int64_t k = 0; k < e.range.count && e.range.begin; ++k)
      step.touches.push_back(placed<I>(core, o, e, e.range.begin + k * e.range.step));
  });
  core.recorder()->take(std::move(step));
}

}  // namespace pto::instr
