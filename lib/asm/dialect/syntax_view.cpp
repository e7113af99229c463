// SPDX-License-Identifier: Apache-2.0
// The syntax of views of global memory.
#include <utility>

#include "asm/dialect/syntax_parts.hpp"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

namespace {

/// The names of the two lists of a view operation.
std::pair<StringRef, StringRef> lists_of(StringRef base) {
  if (base == "make_tensor_view") return {"shape", "strides"};
  return {"offsets", "sizes"};
}

/// Parses `name = [%n, 64]`.
ParseResult parse_list(mlir::OpAsmParser& p, mlir::OperationState& state, StringRef name, Operands& operands) {
  SmallVector<std::int64_t> numbers;
  if (p.parseKeyword(name) || p.parseEqual()) return failure();
  const auto item = [&]() -> ParseResult {
    mlir::OpAsmParser::UnresolvedOperand operand;
    const auto parsed = p.parseOptionalOperand(operand);
    if (parsed.has_value()) {
      operands.push_back(operand), numbers.push_back(given_by_value);
      return *parsed;
    }
    std::int64_t n = 0;
    if (p.parseInteger(n)) return failure();
    numbers.push_back(n);
    return success();
  };
  if (p.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, item)) return failure();
  state.addAttribute(("static_" + name).str(), p.getBuilder().getDenseI64ArrayAttr(numbers));
  return success();
}

void print_lists(mlir::OpAsmPrinter& p, mlir::Operation* op, llvm::ArrayRef<StringRef> names) {
  for (StringRef name : names) {
    p << ", " << name << " = [";
    llvm::interleaveComma(view_list(op, name), p, [&](mlir::OpFoldResult v) {
      if (const auto value = mlir::dyn_cast<Value>(v))
        p << value;
      else
        p << *constant_of(v);
    });
    p << "]";
  }
}

ParseResult parse_view(StringRef base, mlir::OpAsmParser& p, mlir::OperationState& state) {
  const auto [first, second] = lists_of(base);
  mlir::OpAsmParser::UnresolvedOperand source;
  Operands numbers;
  Type type, result;
  if (p.parseOperand(source) || p.parseComma() || parse_list(p, state, first, numbers)) return failure();
  (void)p.parseOptionalComma();
  if (parse_list(p, state, second, numbers) || p.parseOptionalAttrDict(state.attributes) || p.parseColonType(result))
    return failure();
  type = result;
  if (succeeded(p.parseOptionalArrow()) && p.parseType(result)) return failure();
  if (first == "shape" && type == result) {  // only the view type is written: derive the pointer type
    TypeSpec pointer;
    if (const TypeSpec* view = spec_of(result)) pointer.dtype = view->dtype;
    type = PtoType::get(p.getContext(), pointer);
  }
  if (p.resolveOperand(source, type, state.operands)) return failure();
  for (const auto& n : numbers)
    if (p.resolveOperand(n, p.getBuilder().getIndexType(), state.operands)) return failure();
  state.addTypes(result);
  return success();
}

void print_view(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  const auto [first, second] = lists_of(base_name(op));
  p << " " << op->getOperand(0);
  print_lists(p, op, {first, second});
  p.printOptionalAttrDict(op->getAttrs(), {("static_" + first).str(), ("static_" + second).str()});
  p << " : ";
  const bool implied = first == "shape" && !is_schematic(op->getOperand(0).getType());
  if (!implied) p << op->getOperand(0).getType() << " -> ";
  p << op->getResult(0).getType();
}

/// Rejects a partition that statically exceeds its source.
mlir::LogicalResult verify_inside(mlir::Operation* op, const TypeSpec& source) {
  const auto offsets = view_list(op, "offsets"), sizes = view_list(op, "sizes");
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto offset = constant_of(offsets[i]), size = constant_of(sizes[i]);
    if (offset && *offset < 0) return fault(op) << "offsets[" << i << "] is " << *offset << ", below 0";
    if (!offset || !size || source.shape[i] == pto::instr::unknown) continue;
    if (*offset > source.shape[i] || *size > source.shape[i] - *offset)
      return fault(op) << "offsets[" << i << "] is " << *offset << ", sizes[" << i << "] " << *size
                       << "; the source has " << source.shape[i];
  }
  return success();
}

mlir::LogicalResult verify_view(mlir::Operation* op) {
  const auto [first, second] = lists_of(base_name(op));
  if (op->getNumResults() != 1 || op->getNumOperands() < 1) return fault(op) << "makes one view of one source";
  const TypeSpec *result = spec_of(op->getResult(0).getType()), *source = spec_of(op->getOperand(0).getType());
  if (!result || !result->is_tensor())
    return fault(op) << "results in a view, not in " << type_name(op->getResult(0).getType());
  const bool whole = first == "shape";
  if (!source || (whole ? source->kind != TypeSpec::Kind::ptr : !source->is_tensor()))
    return fault(op) << (whole ? "takes a !pto.ptr" : "takes a view") << "; it is given "
                     << type_name(op->getOperand(0).getType());
  for (StringRef name : {first, second})
    if (!op->getAttrOfType<mlir::DenseI64ArrayAttr>(("static_" + name).str()))
      return fault(op) << "has a list " << name;
  const auto a = view_list(op, first), b = view_list(op, second);
  const auto by_value = [](const auto& list) {
    return llvm::count_if(list, [](mlir::OpFoldResult v) { return mlir::isa<Value>(v); });
  };
  if (op->getNumOperands() != 1 + by_value(a) + by_value(b))
    return fault(op) << "has as many values as its lists leave to them";
  for (Value v : op->getOperands().drop_front())
    if (!v.getType().isIndex()) return fault(op) << "counts in index values";
  if (result->schematic || source->schematic) return success();
  if (result->dtype != source->dtype)
    return fault(op) << "views " << dtype_text(source->dtype) << " as " << dtype_text(result->dtype);
  if (a.size() != b.size() || b.size() != result->shape.size() || a.size() > 5 || a.empty())
    return fault(op) << first << " has " << a.size() << " entries, " << second << " " << b.size() << ", the view has "
                     << result->shape.size() << " extents of at most 5";
  if (!whole && source->shape.size() != a.size())
    return fault(op) << "views a source of " << source->shape.size() << " extents with lists of " << a.size();
  const auto& extents = whole ? a : b;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto n = constant_of(extents[i]);
    if (n && *n < 0) return fault(op) << (whole ? first : second) << "[" << i << "] is " << *n << ", below 0";
    if (result->shape[i] == pto::instr::unknown) continue;
    if (n && *n != result->shape[i])
      return fault(op) << (whole ? first : second) << "[" << i << "] is " << *n << ", the view's type says "
                       << result->shape[i];
  }
  return whole ? success() : verify_inside(op, *source);
}

}  // namespace

const Syntax view_syntax{parse_view, print_view, verify_view};

}  // namespace ptox::assembly
