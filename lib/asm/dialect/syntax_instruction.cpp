// SPDX-License-Identifier: Apache-2.0
// The syntax of instructions: `ins(...) outs(...)`, or operands with a function type.
#include <algorithm>

#include "asm/dialect/syntax_parts.hpp"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

ParseResult parse_group(mlir::OpAsmParser& p, UnresolvedList& operands, llvm::SmallVectorImpl<Type>& types) {
  if (p.parseLParen()) return failure();
  if (succeeded(p.parseOptionalRParen())) return success();
  const auto at = p.getCurrentLocation();
  if (p.parseOperandList(operands) || p.parseColonTypeList(types) || p.parseRParen()) return failure();
  if (operands.size() == types.size()) return success();
  return p.emitError(at) << "there are " << operands.size() << " operands and " << types.size() << " types";
}

ParseResult parse_signature(mlir::OpAsmParser& p, SmallVector<Type>& types, SmallVector<Type>& results) {
  if (p.parseColon()) return failure();
  if (succeeded(p.parseOptionalLParen())) {
    if (failed(p.parseOptionalRParen()) && (p.parseTypeList(types) || p.parseRParen())) return failure();
  } else if (p.parseTypeList(types)) {
    return failure();
  }
  if (failed(p.parseOptionalArrow())) return success();
  if (succeeded(p.parseOptionalLParen()))
    return succeeded(p.parseOptionalRParen()) ? success() : failure(p.parseTypeList(results) || p.parseRParen());
  Type result;
  if (p.parseType(result)) return failure();
  results.push_back(result);
  return success();
}

namespace {

/// A parsed operation: operands in ins(...) outs(...) (`dps`) or with a function type.
struct Written {
  Operands operands;
  SmallVector<Type> types, results;
  bool dps = false;
  std::size_t inputs = 0;
};
ParseResult parse_written(mlir::OpAsmParser& p, mlir::OperationState& state, Written& w) {
  if (p.parseOptionalAttrDict(state.attributes)) return failure();
  const auto at = p.getCurrentLocation();
  if (succeeded(p.parseOptionalKeyword("ins"))) {
    w.dps = true;
    if (parse_group(p, w.operands, w.types)) return failure();
  }
  w.inputs = w.operands.size();
  if (succeeded(p.parseOptionalKeyword("outs"))) {
    w.dps = true;
    Operands outs;
    SmallVector<Type> types;
    if (parse_group(p, outs, types)) return failure();
    w.operands.append(outs), w.types.append(types);
  }
  if (!w.dps) {
    if (p.parseOperandList(w.operands) || p.parseOptionalAttrDict(state.attributes)) return failure();
    if (parse_signature(p, w.types, w.results)) return failure();
    if (w.operands.size() != w.types.size())
      return p.emitError(at) << "there are " << w.operands.size() << " operands and " << w.types.size() << " types";
  } else if (succeeded(p.parseOptionalArrow()) && p.parseTypeList(w.results)) {
    return failure();
  }
  return p.parseOptionalAttrDict(state.attributes);
}

ParseResult parse_instruction(StringRef base, mlir::OpAsmParser& p, mlir::OperationState& state) {
  const auto at = p.getNameLoc();
  Written w;
  if (parse_written(p, state, w)) return failure();
  if (w.results.size() > 1 || w.results.size() != p.getNumResults())
    return p.emitError(at) << base << " has " << p.getNumResults() << " results on its left and " << w.results.size()
                           << " types for them";
  SmallVector<Type> types = w.types;
  Operands operands = w.operands;
  if (w.dps) {  // the instruction lists its output first
    std::rotate(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(w.inputs), types.end());
    std::rotate(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(w.inputs), operands.end());
  }
  const bool masked = state.attributes.get("maskPattern") != nullptr;
  const Ordered order = order_operands(base, types, !w.results.empty(), masked);
  if (!order.error.empty()) return p.emitError(at) << order.error;
  for (int i : order.position)
    if (p.resolveOperand(operands[static_cast<std::size_t>(i)], types[static_cast<std::size_t>(i)], state.operands))
      return failure();
  state.addTypes(w.results);
  return success();
}

bool written_in_dps(mlir::Operation* op) {
  if (op->getNumResults() != 0 || is_collective(SmallVector<Type>(op->getOperandTypes()))) return false;
  const bool any_buf = llvm::any_of(op->getOperandTypes(),
                                    [](Type t) { return spec_of(t) && spec_of(t)->kind == TypeSpec::Kind::tile_buf; });
  // A Level 1 store or scatter has no tile_buf operand and writes a tensor; it is printed with a function type.
  return any_buf || op->getNumOperands() == 0 || is_tile(op->getOperands().back().getType());
}

void print_list(mlir::OpAsmPrinter& p, mlir::OperandRange operands) { p << operands << " : " << operands.getTypes(); }

void print_instruction(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  if (written_in_dps(op)) {
    const unsigned inputs = op->getNumOperands() == 0 ? 0 : op->getNumOperands() - 1;
    if (inputs) p << " ins(", print_list(p, op->getOperands().take_front(inputs)), p << ")";
    p << " outs(", print_list(p, op->getOperands().drop_front(inputs)), p << ")";
    return p.printOptionalAttrDict(op->getAttrs());
  }
  p << " " << op->getOperands();
  p.printOptionalAttrDict(op->getAttrs());
  p << " : (" << op->getOperandTypes() << ") -> ";
  if (op->getNumResults() == 0)
    p << "()";
  else
    p << op->getResult(0).getType();
}

}  // namespace

mlir::LogicalResult verify_policies(mlir::Operation* op) {
  const StringRef base = base_name(op);
  const auto taken = policies_of({base.data(), base.size()});
  std::string legal;
  for (const PolicyKind* kind : taken) legal += (legal.empty() ? "" : ", ") + std::string(kind->attribute);
  const auto near = [&](StringRef name) {
    return llvm::any_of(taken, [&](const PolicyKind* kind) {
      return name != kind->attribute && name.edit_distance_insensitive(kind->attribute) <= 2;
    });
  };
  for (const mlir::NamedAttribute& a : op->getAttrs())
    if (near(a.getName())) return fault(op) << "takes no " << a.getName().getValue() << "; it takes " << legal;
  for (const PolicyKind& kind : llvm::ArrayRef(policy_kinds()).take_front(policy_count)) {
    if (!op->hasAttr(kind.attribute)) continue;
    if (!llvm::is_contained(taken, &kind))
      return fault(op) << "takes no " << kind.attribute << "; it takes " << (legal.empty() ? "no policy" : legal);
    if (!policy_attr(op, kind.kind))
      return fault(op) << "has " << kind.attribute << " = #pto." << kind.kind << "<...>, not "
                       << op->getAttr(kind.attribute);
  }
  return success();
}

namespace {

/// Checks a gather into L1. Only it has gatherExec, which needs indices in global memory, and Elem needs a scratch
/// tile.
mlir::LogicalResult verify_mat(mlir::Operation* op) {
  const auto tensors = llvm::count_if(op->getOperandTypes(), [](Type t) { return is_tensor(t); });
  if (tensors == 1 && op->hasAttr("gatherExec"))
    return fault(op) << "takes gatherExec only with idx in global memory and dst in mat; idx is a tile";
  const PtoAttr coalesce = policy_attr(op, "coalesce");
  if (tensors == 2 && coalesce && coalesce.value() == "elem")
    return fault(op) << "with idx in global memory and coalesce elem takes scratch, a third tensor, after idx";
  return success();
}

mlir::LogicalResult verify_instruction(mlir::Operation* op) {
  if (op->getNumResults() > 1) return fault(op) << "has at most one result";
  const bool masked = op->hasAttr("maskPattern"), has_result = op->getNumResults() == 1;
  if (has_result && !is_tile(op->getResult(0).getType()))
    return fault(op) << "results in a tile, not in " << type_name(op->getResult(0).getType());
  const SmallVector<Type> types(op->getOperandTypes());
  SmallVector<Type> written = types;
  if (is_collective(types) && takes_group(base_name(op))) {
    const Ordered order = order_operands(base_name(op), types, has_result, masked);
    return order.error.empty() ? verify_collective(op) : mlir::LogicalResult(op->emitError() << order.error);
  }
  if (!has_result && !written.empty()) std::rotate(written.begin(), written.end() - 1, written.end());
  const Ordered order = order_operands(base_name(op), written, has_result, masked);
  if (!order.error.empty()) return op->emitError() << order.error;
  for (std::size_t i = 0; i < order.position.size(); ++i)
    if (written[static_cast<std::size_t>(order.position[i])] != types[i])
      return fault(op) << "has its inputs first, then what it writes; here they are in another order";
  if (failed(verify_policies(op))) return failure();
  return base_name(op) == "mgather" ? verify_mat(op) : success();
}

}  // namespace

const Syntax instruction_syntax{parse_instruction, print_instruction, verify_instruction};

}  // namespace ptox::assembly
