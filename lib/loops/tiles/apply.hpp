// SPDX-License-Identifier: Apache-2.0
// Combines a value in memory with another one: replacement, sum, maximum or minimum.
#pragma once

#include <cstddef>
#include <cstring>

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

}  // namespace ptox
