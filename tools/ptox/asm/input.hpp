// SPDX-License-Identifier: Apache-2.0
// The common parts of run, verify and emit: reading the file and printing diagnostics.
#pragma once

#include <iostream>
#include <string>

#include "asm/text/module.hpp"
#include "pto_options.hpp"

namespace ptox::tool {

assembly::TextForm text_form(const PtoInput& input);

/// The text of the file. If it cannot be read, `error` is set to a sentence. `-` is standard input.
std::string file_text(const std::string& path, std::string& error);

/// Prints the diagnostics in the requested format: text to stderr, JSON and SARIF to `out`.
void print(const assembly::Diagnostics& diagnostics, const PtoInput& input, const std::string& target,
           std::ostream& out = std::cout);

}  // namespace ptox::tool
