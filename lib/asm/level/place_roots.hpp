// SPDX-License-Identifier: Apache-2.0
// The tiles that a value may refer to, through loops and branches.
#pragma once

#include "asm/dialect/dialect.hpp"

namespace ptox::assembly {

/// The definitions that `tile` may refer to, each once: results of alloc_tile, function arguments, or results of other
/// operations.
llvm::SmallVector<mlir::Value> tiles_behind(mlir::Value tile);

/// The values that may refer to the tile: itself, iter_args, and results of scf.for and scf.if.
llvm::SmallVector<mlir::Value> values_of(mlir::Value tile);

/// The possible addresses of a tile: byte offsets in its buffer, from addr and from every tassign.
struct TilePlaces {
  llvm::SmallVector<std::int64_t> offsets;
  bool anywhere = false;  ///< an offset is not a constant, or a definition has no offset
};
TilePlaces places_of(mlir::Value tile);

}  // namespace ptox::assembly
