// SPDX-License-Identifier: Apache-2.0
// Selects the code that runs an instruction on a target: its own body, otherwise the reference meaning.
#pragma once

#include "comm/remote.hpp"
#include "core/machine.hpp"
#include "pto/comm/all.hpp"

namespace ptox {

/// The host's own implementation of an instruction, specialised in lib/cpu for the instructions that have one. `run`
/// returns false if it does not handle the operands; the reference meaning is executed instead.
template <class I>
struct NativeBody {
  static constexpr bool exists = false;
};

template <class I>
void execute(Core& core, Machine& m, const typename I::Operands& o) {
  if (core.unmapped() && comm::run_remote(core, m, o)) [[unlikely]]
    return;
  if constexpr (NativeBody<I>::exists)
    if (core.target().native && NativeBody<I>::run(core, o)) return;
  I::meaning(m, o);
}

}  // namespace ptox
