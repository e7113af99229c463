// SPDX-License-Identifier: Apache-2.0
// What both conversions between the levels share: the kinds of tiles, and loops with more or fewer carried values.
#pragma once

#include "asm/operands.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

inline constexpr const char* kept_addr = "pto.addr";  ///< of a Level 1 instruction: where its result lies, by hand
inline constexpr const char* spares = "pto.spare";    ///< of a Level 2 loop: how many of its last values are buffers
inline constexpr const char* carry = "pto.carry";     ///< of a Level 2 tmov: it only hands a tile to the next iteration

/// The same type with tiles of that kind.
mlir::Type with_kind(mlir::Type type, TypeSpec::Kind kind);
bool of_kind(mlir::Type type, TypeSpec::Kind kind);
/// Every value and signature in a function.
void convert_types(mlir::func::FuncOp function, TypeSpec::Kind kind);
/// Whether some type in it is schematic: such a function stays as it is.
bool is_schematic(mlir::func::FuncOp function);
/// Whether a value in it is a tile of that kind.
bool has_kind(mlir::func::FuncOp function, TypeSpec::Kind kind);

/// The same loop with these carried values; its body's arguments are added at, or taken from, the end. The old loop's
/// results are replaced, its yield has to follow.
mlir::scf::ForOp resized(mlir::scf::ForOp loop, mlir::ValueRange inits);

/// "%dst", or "a tile".
std::string tile_text_of(mlir::Value tile);

}  // namespace ptox::assembly
