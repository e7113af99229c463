// SPDX-License-Identifier: Apache-2.0
// Combines a value in memory with another one atomically.
#pragma once

#include <cstddef>

#include "engine/memory/updates.hpp"
#include "loops/tiles/apply.hpp"

namespace ptox {

/// *to = combined(op, *to, *from), atomically with respect to other blocks, launches and plain calls of other threads.
/// A replacement (None) is not locked.
template <class T>
void combine(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from) {
  if (op == pto::ScatterAtomicOp::None) return apply<T>(op, to, from);
  Updates updates;
  updates.element(to, [&] { apply<T>(op, to, from); });
}

}  // namespace ptox
