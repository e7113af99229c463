// SPDX-License-Identifier: Apache-2.0
// The interface between the syntax and each kind of operation: parser, printer and verifier.
#pragma once

#include <string>

#include "asm/dialect/dialect.hpp"
#include "asm/dialect/syntax.hpp"

namespace ptox::assembly {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::failure;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;
using mlir::Value;
using Operands = SmallVector<mlir::OpAsmParser::UnresolvedOperand>;

/// The functions of one kind of operation; `base` is the name of the operation.
struct Syntax {
  ParseResult (*parse)(StringRef base, mlir::OpAsmParser& parser, mlir::OperationState& state);
  void (*print)(mlir::Operation* op, mlir::OpAsmPrinter& printer);
  mlir::LogicalResult (*verify)(mlir::Operation* op);
};
extern const Syntax instruction_syntax;                         // syntax_instruction.cpp
extern const Syntax group_syntax, at_rank_syntax;               // syntax_ranks.cpp
extern const Syntax view_syntax;                                // syntax_view.cpp
extern const Syntax alloc_syntax, assign_syntax, valid_syntax;  // syntax_tile.cpp
extern const Syntax flag_syntax, block_syntax, section_syntax;  // syntax_order.cpp

/// Whether the name is an instruction on tiles and tensors, or a collective.
bool is_instruction(StringRef base);
/// Whether the first operand is a group.
bool is_collective(llvm::ArrayRef<Type> types);
/// Whether the instruction has a form as a collective.
bool takes_group(StringRef base);

/// Checks a collective beyond the kinds of its operands.
mlir::LogicalResult verify_collective(mlir::Operation* op);

/// Parses `: (T, T) -> T` or `: T, T -> T`.
ParseResult parse_signature(mlir::OpAsmParser& p, SmallVector<Type>& types, SmallVector<Type>& results);
/// Checks that the operation accepts its policies and that each has the right kind.
mlir::LogicalResult verify_policies(mlir::Operation* op);

/// A type in short form, for messages.
std::string type_name(Type type);
/// Starts an error message with the name of the operation.
mlir::InFlightDiagnostic fault(mlir::Operation* op);

}  // namespace ptox::assembly
