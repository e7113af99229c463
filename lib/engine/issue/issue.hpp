// SPDX-License-Identifier: Apache-2.0
// An entry point without the checker, to measure what the checker costs.
#pragma once

#include "pto/isa/mgather.hpp"

namespace pto::instr {

/// Issues MGATHER like `issue`, except that on the host the checker is not compiled in. A benchmark compares the two.
void issue_unwatched(const Mgather::Operands& operands, TargetMask legal, bool open, Site site);

}  // namespace pto::instr
