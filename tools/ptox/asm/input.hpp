// SPDX-License-Identifier: Apache-2.0
// What run, verify and emit share: reading the file, and printing what was found in it.
#pragma once

#include <iostream>
#include <string>

#include "asm/module.hpp"
#include "pto_options.hpp"

namespace ptox::tool {

assembly::TextForm text_form(const PtoInput& input);

/// The file's text; a sentence in `error` when it cannot be read. `-` is standard input.
std::string file_text(const std::string& path, std::string& error);

/// Prints what was found in the requested format: text to stderr, JSON and SARIF to `out`.
void print(const assembly::Diagnostics& diagnostics, const PtoInput& input, const std::string& target,
           std::ostream& out = std::cout);

}  // namespace ptox::tool
