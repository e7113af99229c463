// SPDX-License-Identifier: Apache-2.0
// Converts a function to a program of memory accesses.
#pragma once

#include "asm/sync/sync_flags.hpp"
#include "asm/text/diagnostic.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ptox/target.hpp"

namespace ptox::assembly::sync {

struct Built {
  Program program;
  TakenIds taken;
  std::vector<mlir::Value> memory;  ///< by access: the tensor; null for tiles
  bool ok = true;
};
/// Converts a function. If it has an operation that cannot be followed, adds an error and clears `ok`.
Built build(mlir::func::FuncOp function, const Target& target, Diagnostics& out);

}  // namespace ptox::assembly::sync
