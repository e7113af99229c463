// SPDX-License-Identifier: Apache-2.0
// Lowers a kernel to code that MLIR can compile; operations of the pto dialect become numbered calls.
#pragma once

#include <string>
#include <vector>

#include "asm/run/runtime.hpp"
#include "asm/text/module.hpp"

namespace ptox::assembly {

/// A parameter of the kernel before lowering.
struct Parameter {
  enum class Kind { pointer, integer, floating };
  std::string name;
  Kind kind = Kind::pointer;
  DType dtype = DType::f32;  ///< element type of a pointer, or type of a float
  int bits = 64;             ///< width of an integer
};

/// A lowered kernel: its module contains only arithmetic, control flow and calls; the operations of the dialect are in
/// `program`.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  Program program;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The name of the kernel to run: `asked` if not empty, otherwise the only function with `pto.entry`, otherwise the
/// only one with a body. Empty after adding an error.
std::string entry_of(const Module& module, const std::string& asked, Diagnostics& out);

/// Whether the module can be run; adds an error for every unsupported construct.
bool can_run(const Module& module, Diagnostics& out);

/// Replaces tensor and tile parameters of the kernel by pointers. Tiles are loaded at the start and, if the kernel
/// writes them, stored at the end. With `results`, a named tile that is written and never read becomes an additional
/// pointer parameter, in which its content is stored. Afterwards the kernel has only pointer and scalar parameters.
void materialise_arguments(Module& module, const std::string& entry, bool results, Diagnostics& out);
/// The same for tiles only, in every function that is not called by another function.
void materialise_tiles(Module& module, bool results, Diagnostics& out);
/// Whether the module has operations with tile results, that is, Level 1. Call this before to_level2.
bool has_values(const Module& module);

/// Lowers a module at Level 2 that has been verified. Returns false after adding an error.
bool lower(const Module& module, const std::string& entry, Kernel& kernel, Diagnostics& out);

}  // namespace ptox::assembly
