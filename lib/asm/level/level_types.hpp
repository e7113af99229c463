// SPDX-License-Identifier: Apache-2.0
// Helpers of both conversions between the levels: kinds of tiles, and loops with more or fewer carried values.
#pragma once

#include "asm/dialect/operands.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

inline constexpr const char* kept_addr = "pto.addr";  ///< attribute, Level 1 instruction: hand-written address
inline constexpr const char* spares = "pto.spare";    ///< attribute, Level 2 loop: number of trailing spare buffers
inline constexpr const char* carry = "pto.carry";     ///< attribute, Level 2 tmov that only carries a tile

/// The type with a tile kind replaced by `kind`; other types are returned unchanged.
mlir::Type with_kind(mlir::Type type, TypeSpec::Kind kind);
bool of_kind(mlir::Type type, TypeSpec::Kind kind);
/// Applies with_kind to the type of every value and to the signature of a function.
void convert_types(mlir::func::FuncOp function, TypeSpec::Kind kind);
/// Whether a type in the function is schematic; such functions are not converted.
bool is_schematic(mlir::func::FuncOp function);
/// Whether a value in the function is a tile of that kind.
bool has_kind(mlir::func::FuncOp function, TypeSpec::Kind kind);

/// Replaces `loop` by a loop with these initial values. Block arguments are added or removed at the end. Uses of the
/// old results are replaced; the caller has to adapt the scf.yield and to erase the old loop.
mlir::scf::ForOp resized(mlir::scf::ForOp loop, mlir::ValueRange inits);

/// The name of a tile for messages: "%dst", or "a tile" if it has no name.
std::string tile_text_of(mlir::Value tile);

}  // namespace ptox::assembly
