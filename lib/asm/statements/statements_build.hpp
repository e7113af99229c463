// SPDX-License-Identifier: Apache-2.0
// Turns one statement into an operation.
#pragma once

#include "asm/dialect/dialect.hpp"
#include "asm/statements/statements_source.hpp"
#include "asm/text/opcode.hpp"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

/// The context of the builders. Each builder returns the operation, or null after reporting an error.
struct Place {
  Source& source;
  Values& values;
  mlir::OpBuilder& builder;
};

/// Builds an instruction on tiles or tensors. Operands are assigned to roles by their types.
mlir::Operation* build_instruction(const Place& here, const Written& written, const Opcode& opcode);
/// Builds an operation that the dialect does not have, as pto.unknown.
mlir::Operation* build_unknown(const Place& here, const Written& written, llvm::StringRef name);
/// Builds any other single-line operation by parsing it with MLIR, after adding omitted types. `name` includes the
/// dialect.
mlir::Operation* build_from_text(const Place& here, const std::vector<Token>& tokens, llvm::StringRef name);

/// The schematic type `!pto.tile<...>`, or that of another kind.
mlir::Type schematic_type(mlir::MLIRContext* context, TypeSpec::Kind kind = TypeSpec::Kind::tile);

}  // namespace ptox::assembly
