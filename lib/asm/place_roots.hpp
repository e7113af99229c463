// SPDX-License-Identifier: Apache-2.0
// The tiles that a value may refer to, through loops and branches.
#pragma once

#include "asm/dialect.hpp"

namespace ptox::assembly {

/// Results of alloc_tile, arguments of functions, or what neither is, each once.
llvm::SmallVector<mlir::Value> tiles_behind(mlir::Value tile);

/// The values that a tile is handed on to: itself, iter_args, results of scf.for and scf.if.
llvm::SmallVector<mlir::Value> values_of(mlir::Value tile);

/// Where a tile may lie: byte offsets in its buffer, from addr and from every tassign.
struct TilePlaces {
  llvm::SmallVector<std::int64_t> offsets;
  bool anywhere = false;  ///< an offset is not a constant, or there is none
};
TilePlaces places_of(mlir::Value tile);

}  // namespace ptox::assembly
