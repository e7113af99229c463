// SPDX-License-Identifier: Apache-2.0
// The syntax that creates, places and resizes tiles.
#include "asm/dialect/syntax_parts.hpp"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

namespace {

ParseResult parse_alloc(StringRef, mlir::OpAsmParser& p, mlir::OperationState& state) {
  Operands operands;
  SmallVector<std::int64_t> present;
  SmallVector<Type> types;
  for (StringRef name : {"addr", "valid_row", "valid_col"}) {
    present.push_back(succeeded(p.parseOptionalKeyword(name)));
    if (!present.back()) continue;
    if (p.parseEqual() || p.parseOperand(operands.emplace_back())) return failure();
    (void)p.parseOptionalComma();
    types.push_back(name == "addr" ? Type(p.getBuilder().getI64Type()) : p.getBuilder().getIndexType());
  }
  Type result;
  if (p.parseOptionalAttrDict(state.attributes) || p.parseColonType(result)) return failure();
  state.addAttribute("operands", p.getBuilder().getDenseI64ArrayAttr(present));
  state.addTypes(result);
  return p.resolveOperands(operands, types, p.getNameLoc(), state.operands);
}
void print_alloc(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  for (StringRef name : {"addr", "valid_row", "valid_col"})
    if (Value v = alloc_operand(op, name)) p << " " << name << " = " << v;
  p.printOptionalAttrDict(op->getAttrs(), {"operands"});
  p << " : " << op->getResultTypes();
}
mlir::LogicalResult verify_alloc(mlir::Operation* op) {
  const auto present = op->getAttrOfType<mlir::DenseI64ArrayAttr>("operands");
  if (op->getNumResults() != 1) return fault(op) << "results in a tile";
  if (!is_tile(op->getResult(0).getType()))
    return fault(op) << "results in a tile, not in " << type_name(op->getResult(0).getType());
  if (!present || present.size() != 3 ||
      llvm::count_if(present.asArrayRef(), [](std::int64_t n) { return n != 0; }) != op->getNumOperands())
    return fault(op) << "has a value for each of addr, valid_row, valid_col that is given";
  if (Value addr = alloc_operand(op, "addr"); addr && !addr.getType().isInteger(64))
    return fault(op) << "addr is an i64";
  const TypeSpec& t = *spec_of(op->getResult(0).getType());
  if (t.schematic) return success();
  const auto judge = [&](StringRef name, std::int64_t extent) -> mlir::LogicalResult {
    const Value v = alloc_operand(op, name);
    if (v && !v.getType().isIndex()) return fault(op) << name << " is an index";
    const bool open = extent == pto::instr::unknown;
    if (v && !open) return fault(op) << name << " is given, and the type says " << extent << ". Write ? in the type";
    if (!v && open) return fault(op) << name << " is open in the type: give it here";
    return success();
  };
  return success(succeeded(judge("valid_row", t.tile.valid_rows)) && succeeded(judge("valid_col", t.tile.valid_cols)));
}

ParseResult parse_tassign(StringRef, mlir::OpAsmParser& p, mlir::OperationState& state) {
  mlir::OpAsmParser::UnresolvedOperand tile, offset;
  mlir::StringAttr symbol;
  Type type;
  if (p.parseOperand(tile) || p.parseComma()) return failure();
  if (succeeded(p.parseOptionalSymbolName(symbol))) {
    std::int64_t n = 0;
    if (symbol.getValue() != "tile") return p.emitError(p.getNameLoc()) << "expected @tile(offset)";
    if (p.parseLParen() || p.parseInteger(n) || p.parseRParen()) return failure();
    state.addAttribute("offset", p.getBuilder().getI64IntegerAttr(n));
    return failure(p.parseOptionalAttrDict(state.attributes) || p.parseColonType(type) ||
                   p.resolveOperand(tile, type, state.operands));
  }
  return failure(p.parseOperand(offset) || p.parseOptionalAttrDict(state.attributes) || p.parseColonType(type) ||
                 p.resolveOperand(tile, type, state.operands) ||
                 p.resolveOperand(offset, p.getBuilder().getI64Type(), state.operands));
}
void print_tassign(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  p << " " << op->getOperand(0) << ", ";
  if (const auto offset = op->getAttrOfType<mlir::IntegerAttr>("offset"))
    p << "@tile(0x" << llvm::utohexstr(static_cast<std::uint64_t>(offset.getInt()), true) << ")";
  else
    p << op->getOperand(1);
  p.printOptionalAttrDict(op->getAttrs(), {"offset"});
  p << " : " << op->getOperand(0).getType();
}
mlir::LogicalResult verify_tassign(mlir::Operation* op) {
  const auto offset = op->getAttrOfType<mlir::IntegerAttr>("offset");
  if (op->getNumOperands() != (offset ? 1u : 2u) || op->getNumResults() != 0)
    return fault(op) << "takes a tile and an offset";
  if (!is_tile(op->getOperand(0).getType()))
    return fault(op) << "places a tile; it is given " << type_name(op->getOperand(0).getType());
  if (offset && (!offset.getType().isInteger(64) || offset.getInt() < 0))
    return fault(op) << "has an offset that is an i64 and not negative; it is " << offset;
  if (!offset && !op->getOperand(1).getType().isInteger(64)) return fault(op) << "has an offset that is an i64";
  return success();
}

ParseResult parse_validshape(StringRef, mlir::OpAsmParser& p, mlir::OperationState& state) {
  mlir::OpAsmParser::UnresolvedOperand tile, rows, cols;
  Type type;
  const Type index = p.getBuilder().getIndexType();
  return failure(p.parseOperand(tile) || p.parseComma() || p.parseOperand(rows) || p.parseComma() ||
                 p.parseOperand(cols) || p.parseOptionalAttrDict(state.attributes) || p.parseColonType(type) ||
                 p.resolveOperand(tile, type, state.operands) || p.resolveOperand(rows, index, state.operands) ||
                 p.resolveOperand(cols, index, state.operands));
}
mlir::LogicalResult verify_validshape(mlir::Operation* op) {
  if (op->getNumOperands() == 3 && op->getNumResults() == 0 && is_tile(op->getOperand(0).getType()) &&
      op->getOperand(1).getType().isIndex() && op->getOperand(2).getType().isIndex())
    return success();
  return fault(op) << "takes a tile and two index values";
}
void print_validshape(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  p << " " << op->getOperands();
  p.printOptionalAttrDict(op->getAttrs());
  p << " : " << op->getOperand(0).getType();
}

}  // namespace

const Syntax alloc_syntax{parse_alloc, print_alloc, verify_alloc};
const Syntax assign_syntax{parse_tassign, print_tassign, verify_tassign};
const Syntax valid_syntax{parse_validshape, print_validshape, verify_validshape};

}  // namespace ptox::assembly
