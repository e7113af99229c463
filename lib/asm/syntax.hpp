// SPDX-License-Identifier: Apache-2.0
// The MLIR syntax of the dialect's operations, and the conditions on a single operation.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace ptox::assembly {

using UnresolvedList = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;
/// `(%a, %b : T, T)`
mlir::ParseResult parse_group(mlir::OpAsmParser& parser, UnresolvedList& operands,
                              llvm::SmallVectorImpl<mlir::Type>& types);

mlir::ParseResult parse_operation(mlir::OpAsmParser& parser, mlir::OperationState& state);
/// A `pto.` operation that the dialect does not have: one with suffixes of its opcode, or pto.unknown.
mlir::ParseResult parse_unregistered(mlir::OpAsmParser& parser, mlir::OperationState& state);
void print_operation(mlir::Operation* op, mlir::OpAsmPrinter& printer);
/// Operands, results and attributes are there and of the right kind; the instructions' rules are asked elsewhere.
mlir::LogicalResult verify_operation(mlir::Operation* op);

}  // namespace ptox::assembly
