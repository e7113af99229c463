// SPDX-License-Identifier: Apache-2.0
// Turns the operations of a function into a program of memory accesses.
#pragma once

#include "asm/diagnostic.hpp"
#include "asm/sync_flags.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ptox/target.hpp"

namespace ptox::assembly::sync {

struct Built {
  Program program;
  TakenIds taken;
  std::vector<mlir::Value> memory;  ///< by access: the tensor, null for tiles
  bool ok = true;
};
/// Not ok, with an error, where the function does what cannot be followed.
Built build(mlir::func::FuncOp function, const Target& target, Diagnostics& out);

}  // namespace ptox::assembly::sync
