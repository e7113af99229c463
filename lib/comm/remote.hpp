// SPDX-License-Identifier: Apache-2.0
// Instructions on symmetric memory that this rank does not map and cannot load or store directly.
#pragma once

#include <type_traits>

#include "core/machine.hpp"
#include "pto/comm/all.hpp"

namespace ptox::comm {

/// Executes a transfer whose tensor is in unmapped memory, by get, put or add of the engine and a local copy of the
/// tensor. Returns false, without effect, if the tensor is mapped.
bool run_remote(Core& core, Machine& m, const pto::instr::Tload::Operands& o);
bool run_remote(Core& core, Machine& m, const pto::instr::Tstore::Operands& o);
template <class O>
bool run_remote(Core&, Machine&, const O&) {
  return false;
}

/// Whether the tensors of this instruction may be in unmapped memory.
template <class I>
inline constexpr bool reaches_remote =
    std::is_same_v<I, pto::instr::Tload> || std::is_same_v<I, pto::instr::Tstore> ||
    std::is_same_v<I, pto::instr::Tprefetch> || std::is_same_v<I, pto::instr::Tnotify> ||
    std::is_same_v<I, pto::instr::Twait> || std::is_same_v<I, pto::instr::Ttest>;

/// The rank whose unmapped memory holds the tensor; -1 if the tensor is mapped.
int unmapped_rank(const Core& core, const pto::instr::TensorDesc& t);

}  // namespace ptox::comm
