// SPDX-License-Identifier: Apache-2.0
// AllInstructions: the list from which engine, assembler, manual and tests are derived.
#pragma once

#include "pto/isa/copy_cbuf.hpp"
#include "pto/isa/flags.hpp"
#include "pto/isa/mgather.hpp"
#include "pto/isa/mgather_mat.hpp"
#include "pto/isa/mscatter.hpp"
#include "pto/isa/sync.hpp"
#include "pto/isa/tassign.hpp"
#include "pto/isa/texpands.hpp"
#include "pto/isa/tgather.hpp"
#include "pto/isa/tgatherb.hpp"
#include "pto/isa/tload.hpp"
#include "pto/isa/tmov.hpp"
#include "pto/isa/tprefetch.hpp"
#include "pto/isa/tscatter.hpp"
#include "pto/isa/tstore.hpp"

namespace pto::instr {

template <class... I>
struct InstructionList {
  static constexpr int size = sizeof...(I);
  /// Calls visit.template operator()<Instruction>() for each, in order.
  template <class V>
  static constexpr void each(V&& visit) {
    (visit.template operator()<I>(), ...);
  }
};

using AllInstructions =
    InstructionList<Mgather, MgatherMat, Mscatter, Tload, Tstore, Tprefetch, Tgather, TgatherMask, Tgatherb, Tscatter,
                    TscatterMask, Tmov, Texpands, SetFlag, WaitFlag, PipeBarrier, Dcci, Dsb>;

/// Instructions whose operands are addresses instead of tiles and tensors. PTO-AS and the manual of the tile ISA do not
/// contain them.
using AddressInstructions = InstructionList<CopyCbufToGm>;

}  // namespace pto::instr
