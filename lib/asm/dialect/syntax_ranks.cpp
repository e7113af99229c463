// SPDX-License-Identifier: Apache-2.0
// The syntax of groups of ranks and of addresses at other ranks.
#include "asm/dialect/collective.hpp"
#include "asm/dialect/syntax_parts.hpp"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

mlir::LogicalResult verify_collective(mlir::Operation* op) {
  if (op->hasAttr("maskPattern")) return fault(op) << "between ranks takes no maskPattern";
  if (failed(verify_policies(op))) return failure();
  const mlir::Attribute attribute = op->getAttr(staging_attribute);
  if (!attribute) return success();
  const auto list = mlir::dyn_cast<mlir::ArrayAttr>(attribute);
  const auto is_tile_type = [](mlir::Attribute a) {
    const auto type = mlir::dyn_cast<mlir::TypeAttr>(a);
    return type && is_tile(type.getValue()) && !is_schematic(type.getValue());
  };
  if (!list || list.empty() || !llvm::all_of(list, is_tile_type))
    return fault(op) << "has staging = [!pto.tile_buf<...>], the types of its staging tiles, not " << attribute;
  if (op->getNumOperands() > 2) return fault(op) << "has staging tiles as operands, so it has no attribute staging";
  const bool reduce = base_name(op) == "treduce";
  const std::size_t least = reduce ? 2 : 1;
  if (list.size() < least || list.size() > least + 1)
    return fault(op) << "has staging of " << list.size() << " tiles; it must be " << least << " or " << least + 1;
  return success();
}

namespace {

/// Parses operands, attributes and a function type.
ParseResult parse_plain(StringRef, mlir::OpAsmParser& p, mlir::OperationState& state) {
  Operands operands;
  SmallVector<Type> types, results;
  const auto at = p.getCurrentLocation();
  if (p.parseOperandList(operands) || p.parseOptionalAttrDict(state.attributes) || parse_signature(p, types, results))
    return failure();
  state.addTypes(results);
  return p.resolveOperands(operands, types, at, state.operands);
}

void print_plain(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  p << " " << op->getOperands();
  p.printOptionalAttrDict(op->getAttrs());
  p << " : (" << op->getOperandTypes() << ") -> " << op->getResultTypes();
}

mlir::LogicalResult verify_make_group(mlir::Operation* op) {
  if (op->getNumResults() != 1 || !is_group(op->getResult(0).getType())) return fault(op) << "results in a !pto.group";
  for (Value v : op->getOperands())
    if (!is_tensor(v.getType()))
      return fault(op) << "is made of tensors, one a rank; it is given " << type_name(v.getType());
  if (const mlir::Attribute root = op->getAttr("root"); root && !mlir::isa<mlir::IntegerAttr>(root))
    return fault(op) << "has root = the number of a rank, not " << root;
  const TypeSpec& group = *spec_of(op->getResult(0).getType());
  const auto count = static_cast<std::int64_t>(op->getNumOperands());
  if (!group.schematic && group.ranks != count && count != 1)
    return fault(op) << "has " << count << " tensors, the group " << group.ranks << " ranks";
  return success();
}

mlir::LogicalResult verify_at_rank(mlir::Operation* op) {
  const auto is_number = [](Type t) { return t.isIndex() || t.isInteger(32) || t.isInteger(64); };
  const auto in_memory = [](Type t) { return is_tensor(t) || (spec_of(t) && spec_of(t)->kind == TypeSpec::Kind::ptr); };
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return fault(op) << "takes an address and a rank and results in an address";
  const Type from = op->getOperand(0).getType(), rank = op->getOperand(1).getType(), to = op->getResult(0).getType();
  if (!in_memory(from)) return fault(op) << "takes a pointer or a tensor; it is given " << type_name(from);
  if (!is_number(rank)) return fault(op) << "takes the rank as an i64, i32 or index; it is given " << type_name(rank);
  if (from != to) return fault(op) << "results in what it takes, " << type_name(from) << ", not in " << type_name(to);
  return success();
}

}  // namespace

const Syntax group_syntax{parse_plain, print_plain, verify_make_group};
const Syntax at_rank_syntax{parse_plain, print_plain, verify_at_rank};

}  // namespace ptox::assembly
