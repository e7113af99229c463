// SPDX-License-Identifier: Apache-2.0
// The MLIR syntax of the dialect's operations, and the verifier of each single operation.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace ptox::assembly {

using UnresolvedList = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;
/// Parses `(%a, %b : T, T)`.
mlir::ParseResult parse_group(mlir::OpAsmParser& parser, UnresolvedList& operands,
                              llvm::SmallVectorImpl<mlir::Type>& types);

mlir::ParseResult parse_operation(mlir::OpAsmParser& parser, mlir::OperationState& state);
/// Parses a `pto.` operation that is not registered: an opcode with suffixes, or an unknown operation.
mlir::ParseResult parse_unregistered(mlir::OpAsmParser& parser, mlir::OperationState& state);
void print_operation(mlir::Operation* op, mlir::OpAsmPrinter& printer);
/// Checks that operands, results and attributes are present and have the right kinds. The rules of the instructions are
/// checked in verify.cpp.
mlir::LogicalResult verify_operation(mlir::Operation* op);

}  // namespace ptox::assembly
