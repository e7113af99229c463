// SPDX-License-Identifier: Apache-2.0
// Prints a module as bare statements and as C++.
#pragma once

#include <string>

#include "asm/text/module.hpp"

namespace ptox::assembly {

/// The module in the AS form. Empty, after adding an error, if it cannot be expressed there.
std::string to_statements(const Module& module, Diagnostics& out);

/// C++ source of every function of a Level 2 module, which includes <pto/pto-inst.hpp>. Empty, after adding an error,
/// if the module cannot be expressed in C++.
std::string to_cpp(const Module& module, Diagnostics& out);

}  // namespace ptox::assembly
