// SPDX-License-Identifier: Apache-2.0
// Accesses memory that this rank cannot load and store directly.
#pragma once

#include <type_traits>

#include "core/machine.hpp"
#include "pto/comm/all.hpp"

namespace ptox::comm {

/// Runs a transfer whose tensor lies at such a rank: by the engine's get or put, and a copy here in between. False: the
/// tensor lies here.
bool run_remote(Core& core, Machine& m, const pto::instr::Tload::Operands& o);
bool run_remote(Core& core, Machine& m, const pto::instr::Tstore::Operands& o);
template <class O>
bool run_remote(Core&, Machine&, const O&) {
  return false;
}

/// Whether tensors of that instruction may lie there.
template <class I>
inline constexpr bool reaches_remote =
    std::is_same_v<I, pto::instr::Tload> || std::is_same_v<I, pto::instr::Tstore> ||
    std::is_same_v<I, pto::instr::Tprefetch> || std::is_same_v<I, pto::instr::Tnotify> ||
    std::is_same_v<I, pto::instr::Twait> || std::is_same_v<I, pto::instr::Ttest>;

/// The rank at which a tensor lies that this one does not map; -1: it does.
int unmapped_rank(const Core& core, const pto::instr::TensorDesc& t);

}  // namespace ptox::comm
