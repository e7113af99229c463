// SPDX-License-Identifier: Apache-2.0
// The interface of each kind of operation to the syntax: reading, printing, and conditions on a single operation.
#pragma once

#include <string>

#include "asm/dialect.hpp"
#include "asm/syntax.hpp"

namespace ptox::assembly {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::failure;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;
using mlir::Value;
using Operands = SmallVector<mlir::OpAsmParser::UnresolvedOperand>;

/// One kind of operation; what differs within it goes by the operation's name.
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

/// An instruction on tiles and tensors, or between ranks.
bool is_instruction(StringRef base);
/// Its first operand is a group.
bool is_collective(llvm::ArrayRef<Type> types);
/// An instruction that has a form between ranks.
bool takes_group(StringRef base);

/// What is wrong with a collective beyond its operands' kinds.
mlir::LogicalResult verify_collective(mlir::Operation* op);

/// `: (T, T) -> T` or `: T, T -> T`.
ParseResult parse_signature(mlir::OpAsmParser& p, SmallVector<Type>& types, SmallVector<Type>& results);
/// Policies are those of the operation, each of its own kind.
mlir::LogicalResult verify_policies(mlir::Operation* op);

/// A type for a message, as short as it can be said.
std::string type_name(Type type);
/// An error that begins with the operation's name.
mlir::InFlightDiagnostic fault(mlir::Operation* op);

}  // namespace ptox::assembly
