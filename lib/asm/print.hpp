// SPDX-License-Identifier: Apache-2.0
// Prints a module as bare statements and as C++.
#pragma once

#include <string>

#include "asm/module.hpp"

namespace ptox::assembly {

/// The AS form; empty, with an error that says what it cannot express.
std::string to_statements(const Module& module, Diagnostics& out);

/// C++ of every kernel of a Level 2 module, for <pto/pto-inst.hpp>; empty, with an error that says what it cannot
/// express.
std::string to_cpp(const Module& module, Diagnostics& out);

}  // namespace ptox::assembly
