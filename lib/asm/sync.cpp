// SPDX-License-Identifier: Apache-2.0
#include "asm/level.hpp"

namespace ptox::assembly {

bool insert_sync(Module&, const Target&, Diagnostics&) { return true; }

}  // namespace ptox::assembly
