// SPDX-License-Identifier: Apache-2.0
// Selects the code that runs an instruction on a target: its own body, otherwise the reference meaning.
#pragma once

#include "comm/remote.hpp"
#include "core/machine.hpp"
#include "pto/comm/all.hpp"

namespace ptox {

/// A body of the host's own: true when it did the work, false to leave it to the reference meaning. Specialised in
/// lib/cpu for the instructions that have one.
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
