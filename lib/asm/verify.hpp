// SPDX-License-Identifier: Apache-2.0
// Checks a file against the rules of its target.
#pragma once

#include <optional>
#include <string>

#include "asm/module.hpp"
#include "ptox/target.hpp"

namespace ptox::assembly {

/// The target in force: the one asked for, else the file's `pto.target_arch`, else cpu. Null with an error when there
/// is no such target; `portable` is not one of these.
const Target* target_of(const Module& module, const std::string& asked, Diagnostics& out);

/// Asks every rule of every instruction, and of tile types; one error an operation that breaks one.
void verify(const Module& module, const Target& target, Diagnostics& out);
/// The rules of all targets, and those that make all of them mean the same.
void verify_portable(const Module& module, Diagnostics& out);

/// Writes down the coalesce that the shapes imply, where an operation leaves it out.
void write_coalesce(const Module& module, Diagnostics& out);

/// What keeps a file from running: schematic types and operations that we do not have.
void refuse_schematic(const Module& module, Diagnostics& out);

}  // namespace ptox::assembly
