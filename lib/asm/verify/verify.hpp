// SPDX-License-Identifier: Apache-2.0
// Checks a file against the rules of its target.
#pragma once

#include <optional>
#include <string>

#include "asm/text/module.hpp"
#include "ptox/target.hpp"

namespace ptox::assembly {

/// The target: `asked` if not empty, otherwise the file's `pto.target_arch`, otherwise cpu. Null, after adding an
/// error, if there is no such target; `portable` is not a target.
const Target* target_of(const Module& module, const std::string& asked, Diagnostics& out);

/// Checks every rule of every instruction, and tile types; at most one error per operation.
void verify(const Module& module, const Target& target, Diagnostics& out);
/// Checks the rules of all targets, and the rules that ensure the same behaviour on all of them.
void verify_portable(const Module& module, Diagnostics& out);

/// Adds the coalesce attribute that the shapes imply to operations that omit it.
void write_coalesce(const Module& module, Diagnostics& out);

/// Reports schematic types and unknown operations, which cannot be run.
void refuse_schematic(const Module& module, Diagnostics& out);

}  // namespace ptox::assembly
