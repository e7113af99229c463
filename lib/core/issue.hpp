// SPDX-License-Identifier: Apache-2.0
// The entry that issues without the checker, to measure what the checker costs.
#pragma once

#include "pto/isa/mgather.hpp"

namespace pto::instr {

/// MGATHER on the host by the same door, the checker not compiled in: what a bench compares issue with.
void issue_unwatched(const Mgather::Operands& operands, TargetMask legal, bool open, Site site);

}  // namespace pto::instr
