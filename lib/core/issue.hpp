// SPDX-License-Identifier: Apache-2.0
// What would issue cost without the checker?
#pragma once

#include "pto/isa/mgather.hpp"

namespace pto::instr {

/// MGATHER on the host by the same door, the checker not compiled in: what a bench compares issue with.
void issue_unwatched(const Mgather::Operands& operands, TargetMask legal, bool open, Site site);

}  // namespace pto::instr
