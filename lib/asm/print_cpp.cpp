// SPDX-License-Identifier: Apache-2.0
#include "asm/print.hpp"

namespace ptox::assembly {

std::string to_cpp(const Module&, Diagnostics&) { return ""; }

}  // namespace ptox::assembly
