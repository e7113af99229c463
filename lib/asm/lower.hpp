// SPDX-License-Identifier: Apache-2.0
// Lowers a kernel to code that MLIR can compile; operations of the pto dialect become numbered calls.
#pragma once

#include <string>
#include <vector>

#include "asm/module.hpp"
#include "asm/runtime.hpp"

namespace ptox::assembly {

/// An argument of the kernel as its text has it, before it is lowered.
struct Parameter {
  enum class Kind { pointer, integer, floating };
  std::string name;
  Kind kind = Kind::pointer;
  DType dtype = DType::f32;  ///< pointers and floats
  int bits = 64;             ///< scalars
};

/// A kernel whose operations are the program's calls; its module has arithmetic, control flow and calls alone.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  Program program;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The kernel to run: the one of that name, else the only one with `pto.entry`, else the only one with a body. Empty
/// with an error.
std::string entry_of(const Module& module, const std::string& asked, Diagnostics& out);

/// Says what a run cannot do with the module; true when there is nothing.
bool can_run(const Module& module, Diagnostics& out);

/// Tensors and tiles that the kernel takes become pointers to them; tiles are loaded first and, when written, stored
/// last. With `results`, a tile that is written and never read becomes one more such argument, of its own name. The
/// rest of a run knows pointers and scalars alone.
void materialise_arguments(Module& module, const std::string& entry, bool results, Diagnostics& out);
/// The same for tiles alone, in every function that no other calls.
void materialise_tiles(Module& module, bool results, Diagnostics& out);
/// Whether instructions result in tiles, as at Level 1: to be asked before they are buffers.
bool has_values(const Module& module);

/// Lowers a Level 2 module whose rules hold; false with an error.
bool lower(const Module& module, const std::string& entry, Kernel& kernel, Diagnostics& out);

}  // namespace ptox::assembly
