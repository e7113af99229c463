// SPDX-License-Identifier: Apache-2.0
// Turns one statement into an operation.
#pragma once

#include "asm/dialect.hpp"
#include "asm/opcode.hpp"
#include "asm/statements_source.hpp"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

/// What the builders share. Each returns the operation, or null when what is wrong has been said.
struct Place {
  Source& source;
  Values& values;
  mlir::OpBuilder& builder;
};

/// An instruction with tiles or tensors. Which operand is which, its types say.
mlir::Operation* build_instruction(const Place& here, const Written& written, const Opcode& opcode);
/// An operation that we do not have, as pto.unknown.
mlir::Operation* build_unknown(const Place& here, const Written& written, llvm::StringRef name);
/// Any other operation on one line, `name` with its dialect: MLIR reads it, its types completed.
mlir::Operation* build_from_text(const Place& here, const std::vector<Token>& tokens, llvm::StringRef name);

/// `!pto.tile<...>`, or another kind about which nothing is said.
mlir::Type schematic_type(mlir::MLIRContext* context, TypeSpec::Kind kind = TypeSpec::Kind::tile);

}  // namespace ptox::assembly
