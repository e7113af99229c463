// SPDX-License-Identifier: Apache-2.0
// The syntax of flags, barriers, blocks and sections.
#include "asm/dialect/syntax_parts.hpp"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

namespace {

/// Parses `#pto.pipe<PIPE_V>` or the short forms `<PIPE_V>` and `PIPE_V`. MLIR reads a type that follows as the type of
/// the attribute; it is returned in `type_after`.
ParseResult parse_word(mlir::OpAsmParser& p, mlir::OperationState& state, StringRef kind, StringRef name,
                       Type* type_after = nullptr) {
  const auto at = p.getCurrentLocation();
  mlir::Attribute attribute;
  const bool bracket = succeeded(p.parseOptionalLess());
  StringRef word;
  if (succeeded(p.parseOptionalKeyword(&word))) {
    const PolicyKind* known = find_kind({kind.data(), kind.size()});
    for (const std::string& v : known->values)
      if (word.equals_insensitive(v)) attribute = PtoAttr::get(p.getContext(), kind, v);
    if (!attribute) {
      auto error = p.emitError(at) << kind << " is '" << word << "'; it must be one of";
      for (const std::string& v : known->values) error << " " << v;
      return failure();
    }
  } else if (p.parseAttribute(attribute)) {
    return failure();
  }
  if (bracket && p.parseGreater()) return failure();
  if (const auto pair = mlir::dyn_cast<mlir::ArrayAttr>(attribute); pair && pair.size() == 2 && type_after)
    if (const auto type = mlir::dyn_cast<mlir::TypeAttr>(pair[1])) attribute = pair[0], *type_after = type.getValue();
  const auto value = mlir::dyn_cast<PtoAttr>(attribute);
  if (!value || value.kind() != kind) return p.emitError(at) << "expected #pto." << kind << "<...>";
  state.addAttribute(name, attribute);
  return success();
}

struct Words {
  StringRef kinds[3], names[3];
  int count;
};
Words words_of(StringRef base) {
  if (base == "record_event" || base == "wait_event")
    return {{"sync_op_type", "sync_op_type", "event"}, {"src_op", "dst_op", "event"}, 3};
  if (base == "barrier") return {{"pipe", "", ""}, {"pipe", "", ""}, 1};
  if (base == "dsb") return {{"mem_dsb", "", ""}, {"kind", "", ""}, 1};
  if (base == "dcci") return {{"cache_line", "", ""}, {"kind", "", ""}, 1};
  return {{"pipe", "pipe", "event"}, {"src_pipe", "dst_pipe", "event"}, 3};
}

ParseResult parse_flag(StringRef base, mlir::OpAsmParser& p, mlir::OperationState& state) {
  const Words words = words_of(base);
  if (base == "dcci") {
    mlir::OpAsmParser::UnresolvedOperand pointer;
    Type type;
    if (p.parseOperand(pointer) || p.parseComma() || parse_word(p, state, words.kinds[0], words.names[0], &type))
      return failure();
    if (!type && (p.parseOptionalAttrDict(state.attributes) || p.parseColonType(type))) return failure();
    return p.resolveOperand(pointer, type, state.operands);
  }
  const bool list = words.count > 1 && succeeded(p.parseOptionalLSquare());
  for (int i = 0; i < words.count; ++i)
    if ((i > 0 && p.parseComma()) || parse_word(p, state, words.kinds[i], words.names[i])) return failure();
  if (list && p.parseRSquare()) return failure();
  return p.parseOptionalAttrDict(state.attributes);
}
void print_flag(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  const Words words = words_of(base_name(op));
  SmallVector<StringRef> elided;
  if (op->getNumOperands()) p << " " << op->getOperand(0) << ",";
  p << (words.count > 1 ? "[" : " ");
  for (int i = 0; i < words.count; ++i) {
    p << (i ? ", " : "") << op->getAttr(words.names[i]);
    elided.push_back(words.names[i]);
  }
  if (words.count > 1) p << "]";
  p.printOptionalAttrDict(op->getAttrs(), elided);
  if (op->getNumOperands()) p << " : " << op->getOperand(0).getType();
}
mlir::LogicalResult verify_flag(mlir::Operation* op) {
  const Words words = words_of(base_name(op));
  for (int i = 0; i < words.count; ++i) {
    const auto value = op->getAttrOfType<PtoAttr>(words.names[i]);
    if (!value || value.kind() != words.kinds[i])
      return fault(op) << "has " << words.names[i] << " = #pto." << words.kinds[i] << "<...>";
  }
  const bool pointer = base_name(op) == "dcci";
  if (op->getNumOperands() != (pointer ? 1u : 0u) || op->getNumResults() != 0)
    return fault(op) << "takes " << (pointer ? "one address" : "no operands");
  if (pointer && !spec_of(op->getOperand(0).getType()))
    return fault(op) << "takes an address or a tensor; it is given " << type_name(op->getOperand(0).getType());
  return success();
}

ParseResult parse_block_id(StringRef, mlir::OpAsmParser& p, mlir::OperationState& state) {
  Type type = p.getBuilder().getI64Type();
  if (p.parseOptionalAttrDict(state.attributes)) return failure();
  const bool written = succeeded(p.parseOptionalColon()) || succeeded(p.parseOptionalArrow());
  if (written && p.parseType(type)) return failure();
  state.addTypes(type);
  return success();
}
mlir::LogicalResult verify_block_id(mlir::Operation* op) {
  if (op->getNumOperands() == 0 && op->getNumResults() == 1 &&
      (op->getResult(0).getType().isInteger(64) || op->getResult(0).getType().isInteger(32) ||
       op->getResult(0).getType().isIndex()))
    return success();
  return fault(op) << "takes nothing and results in an i64, i32 or index";
}
void print_block_id(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  p.printOptionalAttrDict(op->getAttrs());
  p << " : " << op->getResultTypes();
}

ParseResult parse_section(StringRef, mlir::OpAsmParser& p, mlir::OperationState& state) {
  mlir::Region* body = state.addRegion();
  if (p.parseOptionalAttrDictWithKeyword(state.attributes) || p.parseRegion(*body)) return failure();
  if (body->empty()) body->emplaceBlock();
  return success();
}
void print_section(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  p.printOptionalAttrDictWithKeyword(op->getAttrs());
  p << " ";
  p.printRegion(op->getRegion(0), false, false);
}
mlir::LogicalResult verify_section(mlir::Operation*) { return success(); }

}  // namespace

const Syntax flag_syntax{parse_flag, print_flag, verify_flag};
const Syntax block_syntax{parse_block_id, print_block_id, verify_block_id};
const Syntax section_syntax{parse_section, print_section, verify_section};

}  // namespace ptox::assembly
