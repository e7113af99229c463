// SPDX-License-Identifier: Apache-2.0
// Combines a value in memory with another one: replacement, sum, maximum or minimum.
#pragma once

#include <cstddef>
#include <cstring>

#include "core/updates.hpp"
#include "pto/isa/combined.hpp"
#include "pto/tile/dtype.hpp"

namespace ptox {

using pto::instr::combined;

/// *to = combined(op, *to, *from), not atomically.
template <class T>
void apply(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from) {
  T old, value;
  std::memcpy(&value, from, sizeof value);
  if (op != pto::ScatterAtomicOp::None) std::memcpy(&old, to, sizeof old), value = combined(op, old, value);
  std::memcpy(to, &value, sizeof value);
}

/// The same, atomically with respect to other blocks, launches and plain calls of other threads. A replacement (None)
/// is not locked.
template <class T>
void combine(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from) {
  if (op == pto::ScatterAtomicOp::None) return apply<T>(op, to, from);
  Updates updates;
  updates.element(to, [&] { apply<T>(op, to, from); });
}

}  // namespace ptox
