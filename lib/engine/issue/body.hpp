// SPDX-License-Identifier: Apache-2.0
// Selects the code that runs an instruction on a target: its own body, otherwise the reference meaning.
#pragma once

#include <type_traits>

#include "engine/core/rank.hpp"
#include "engine/issue/machine.hpp"
#include "pto/comm/all.hpp"

namespace ptox {

/// The host's own implementation of an instruction, specialised in host_bodies.hpp for the instructions that have one.
/// `run` returns false if it does not handle the operands; the reference meaning is executed instead.
template <class I>
struct NativeBody {
  static constexpr bool exists = false;
};

/// Whether the tensors of this instruction may be in memory that this rank does not map.
template <class I>
inline constexpr bool reaches_remote =
    std::is_same_v<I, pto::instr::Tload> || std::is_same_v<I, pto::instr::Tstore> ||
    std::is_same_v<I, pto::instr::Tprefetch> || std::is_same_v<I, pto::instr::Tnotify> ||
    std::is_same_v<I, pto::instr::Twait> || std::is_same_v<I, pto::instr::Ttest>;

/// The rank whose unmapped memory holds the tensor; -1 if the tensor is mapped.
inline int unmapped_rank(const Core& core, const pto::instr::TensorDesc& t) {
  const RankView* rank = core.run().rank;
  return rank && rank->remote(t.base) ? rank->locate(t.base)->rank : -1;
}

/// Executes a transfer whose tensor is in unmapped memory. Returns false, without effect, for anything else.
template <class I>
bool run_remote(Core& core, Machine& m, const typename I::Operands& o) {
  if constexpr (std::is_same_v<I, pto::instr::Tload>)
    return core.run().rank->load(core, m, o);
  else if constexpr (std::is_same_v<I, pto::instr::Tstore>)
    return core.run().rank->store(core, m, o);
  else
    return false;
}

template <class I>
void execute(Core& core, Machine& m, const typename I::Operands& o) {
  if (core.unmapped() && run_remote<I>(core, m, o)) [[unlikely]]
    return;
  if constexpr (NativeBody<I>::exists)
    if (core.target().native && NativeBody<I>::run(core, o)) return;
  if constexpr (requires { I::by_region(m, o); })
    if (I::by_region(m, o)) return;
  I::meaning(m, o);
}

}  // namespace ptox
