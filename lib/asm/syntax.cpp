// SPDX-License-Identifier: Apache-2.0
#include "asm/syntax.hpp"

#include <algorithm>
#include <optional>

#include "asm/dialect.hpp"
#include "asm/opcode.hpp"
#include "asm/unknown.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::failure;
using mlir::ParseResult;
using mlir::success;
using mlir::Type;
using mlir::Value;
using Operands = SmallVector<mlir::OpAsmParser::UnresolvedOperand>;

namespace {

bool is_collective(llvm::ArrayRef<Type> types) { return !types.empty() && is_group(types.front()); }
bool takes_group(StringRef base) {
  return base == "tscatter" || base == "tgather" || base == "tbroadcast" || base == "treduce";
}
bool is_instruction(StringRef base) {
  return !forms_of({base.data(), base.size()}).empty() || base == "tbroadcast" || base == "treduce";
}

std::string type_name(Type type) {
  if (const TypeSpec* spec = spec_of(type)) return short_text(*spec);
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// An error that begins with the operation's name.
mlir::InFlightDiagnostic fault(mlir::Operation* op) {
  mlir::InFlightDiagnostic error = op->emitError();
  error << base_name(op) << " ";
  return error;
}

/// What a form wants, for a message: "dst (tile), table (tensor), idx (tile)".
std::string wants(const Form& form, bool has_result) {
  std::string text;
  for (std::size_t i = has_result; i < form.operands.size(); ++i)
    text += (text.empty() ? "" : ", ") + std::string(form.operands[i].name) +
            (form.operands[i].tile ? " (tile)" : " (tensor)");
  return form.takes_scalar ? "a scalar, " + text : text;
}

/// The written operands for one form, or empty positions when they do not fit.
std::optional<SmallVector<int>> fit(const Form& form, llvm::ArrayRef<Type> written, bool has_result, bool masked) {
  if (form.takes_mask != masked || (has_result && !form.operands[0].tile)) return std::nullopt;
  const std::size_t first = has_result ? 1 : 0, count = form.operands.size();
  SmallVector<int> field(count, -1), order;
  SmallVector<bool> used(written.size(), false);
  if (form.takes_scalar) {
    for (std::size_t w = 0; w < written.size() && order.empty(); ++w)
      if (!spec_of(written[w])) order.push_back(static_cast<int>(w)), used[w] = true;
    if (order.empty()) return std::nullopt;
  }
  for (std::size_t f = first; f < count; ++f)
    for (std::size_t w = 0; w < written.size() && field[f] < 0; ++w)
      if (!used[w] && (form.operands[f].tile ? is_tile(written[w]) : is_tensor(written[w])))
        field[f] = static_cast<int>(w), used[w] = true;
  for (std::size_t f = 1; f < count; ++f) {
    const bool optional = form.operands[f].role == pto::instr::Role::scratch;
    if (field[f] < 0 && !optional) return std::nullopt;
    if (field[f] >= 0) order.push_back(field[f]);
  }
  if (first == 0) {
    if (field[0] < 0) return std::nullopt;
    order.push_back(field[0]);
  }
  return llvm::all_of(used, [](bool u) { return u; }) ? std::optional(order) : std::nullopt;
}

}  // namespace

Ordered order_operands(StringRef base, llvm::ArrayRef<Type> written, bool has_result, bool masked) {
  Ordered out;
  std::string given;
  for (Type t : written) given += (given.empty() ? "" : ", ") + type_name(t);
  if (is_collective(written) && takes_group(base)) {
    const bool fits =
        !has_result && written.size() > 1 && is_tensor(written[1]) && llvm::all_of(written.drop_front(2), is_tile);
    for (std::size_t i = 0; i < written.size(); ++i) out.position.push_back(static_cast<int>(i));
    if (!fits) out.error = (base + " takes a !pto.group, a tensor and staging tiles; it is given ").str() + given;
    return out;
  }
  const std::vector<const Form*> forms = forms_of({base.data(), base.size()});
  for (const Form* form : forms)
    if (auto order = fit(*form, written, has_result, masked)) return out.position = *order, out;
  std::string fitting;
  for (const Form* form : forms)
    if (form->takes_mask == masked && (form->operands[0].tile || !has_result))
      fitting += (fitting.empty() ? "" : ", or ") + wants(*form, has_result);
  if (fitting.empty() && !forms.empty())
    return out.error = (base + (masked ? " takes no maskPattern" : " has no result: it writes a tensor")).str(), out;
  if (fitting.empty()) fitting = "a !pto.group first";
  out.error = (base + " takes ").str() + fitting + "; it is given " + (given.empty() ? "nothing" : given);
  return out;
}

ParseResult parse_group(mlir::OpAsmParser& p, UnresolvedList& operands, llvm::SmallVectorImpl<Type>& types) {
  if (p.parseLParen()) return failure();
  if (succeeded(p.parseOptionalRParen())) return success();
  const auto at = p.getCurrentLocation();
  if (p.parseOperandList(operands) || p.parseColonTypeList(types) || p.parseRParen()) return failure();
  if (operands.size() == types.size()) return success();
  return p.emitError(at) << "there are " << operands.size() << " operands and " << types.size() << " types";
}

namespace {

// ---- Instructions -------------------------------------------------------------------------------------------------

/// `: (T, T) -> T` or `: T, T -> T`.
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

/// Operands as written, in ins(...) outs(...) or with a signature, and attributes wherever they stand.
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
  if (w.dps) {  // what is written comes first, as in the instruction
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
  // A store or scatter of Level 1 tiles is written as a function is; what it writes is no tile.
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

/// Policies are those of the operation, each of its own kind.
mlir::LogicalResult verify_policies(mlir::Operation* op) {
  const StringRef base = base_name(op);
  const auto taken = policies_of({base.data(), base.size()});
  std::string legal;
  for (const PolicyKind* kind : taken) legal += (legal.empty() ? "" : ", ") + std::string(kind->attribute);
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

/// A gather into L1 takes its indices from global memory: it alone has gatherExec, and Elem goes by way of scratch.
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
    return order.error.empty() ? success() : mlir::LogicalResult(op->emitError() << order.error);
  }
  if (!has_result && !written.empty()) std::rotate(written.begin(), written.end() - 1, written.end());
  const Ordered order = order_operands(base_name(op), written, has_result, masked);
  if (!order.error.empty()) return op->emitError() << order.error;
  for (std::size_t i = 0; i < order.position.size(); ++i)
    if (written[static_cast<std::size_t>(order.position[i])] != types[i])
      return fault(op) << "has its inputs first, then what it writes; they stand in another order";
  if (failed(verify_policies(op))) return failure();
  return base_name(op) == "mgather" ? verify_mat(op) : success();
}

// ---- Views --------------------------------------------------------------------------------------------------------

/// `name = [%n, 64]`
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

ParseResult parse_view(StringRef first, StringRef second, mlir::OpAsmParser& p, mlir::OperationState& state) {
  mlir::OpAsmParser::UnresolvedOperand source;
  Operands numbers;
  Type type, result;
  if (p.parseOperand(source) || p.parseComma() || parse_list(p, state, first, numbers)) return failure();
  (void)p.parseOptionalComma();
  if (parse_list(p, state, second, numbers) || p.parseOptionalAttrDict(state.attributes) || p.parseColonType(result))
    return failure();
  type = result;
  if (succeeded(p.parseOptionalArrow()) && p.parseType(result)) return failure();
  if (first == "shape" && type == result) {  // only the view's type is written: the pointer is to its elements
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

void print_view(mlir::Operation* op, mlir::OpAsmPrinter& p, StringRef first, StringRef second) {
  p << " " << op->getOperand(0);
  print_lists(p, op, {first, second});
  p.printOptionalAttrDict(op->getAttrs(), {("static_" + first).str(), ("static_" + second).str()});
  p << " : ";
  const bool implied = first == "shape" && !is_schematic(op->getOperand(0).getType());
  if (!implied) p << op->getOperand(0).getType() << " -> ";
  p << op->getResult(0).getType();
}

/// A block that is known to leave its source is none.
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

mlir::LogicalResult verify_view(mlir::Operation* op, StringRef first, StringRef second) {
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

// ---- Tiles, flags, blocks -----------------------------------------------------------------------------------------

ParseResult parse_alloc(mlir::OpAsmParser& p, mlir::OperationState& state) {
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

ParseResult parse_tassign(mlir::OpAsmParser& p, mlir::OperationState& state) {
  mlir::OpAsmParser::UnresolvedOperand tile, offset;
  mlir::StringAttr symbol;
  Type type;
  if (p.parseOperand(tile) || p.parseComma()) return failure();
  if (succeeded(p.parseOptionalSymbolName(symbol))) {
    std::int64_t n = 0;
    if (symbol.getValue() != "tile") return p.emitError(p.getNameLoc()) << "wants @tile(offset)";
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

/// `#pto.pipe<PIPE_V>` or the short `<PIPE_V>` and `PIPE_V`. MLIR takes a type that follows for the attribute's own:
/// it is handed on in `type_after`.
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
      auto error = p.emitError(at) << kind << " is '" << word << "'; it is one of";
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
  if (!value || value.kind() != kind) return p.emitError(at) << "wants #pto." << kind << "<...> here";
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
  const bool list = words.count > 1;
  if (list && p.parseLSquare()) return failure();
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

ParseResult parse_block_id(mlir::OpAsmParser& p, mlir::OperationState& state) {
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

ParseResult parse_validshape(mlir::OpAsmParser& p, mlir::OperationState& state) {
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

ParseResult parse_make_group(mlir::OpAsmParser& p, mlir::OperationState& state) {
  Operands operands;
  SmallVector<Type> types, results;
  const auto at = p.getCurrentLocation();
  if (p.parseOperandList(operands) || p.parseOptionalAttrDict(state.attributes) || parse_signature(p, types, results))
    return failure();
  state.addTypes(results);
  return p.resolveOperands(operands, types, at, state.operands);
}
mlir::LogicalResult verify_make_group(mlir::Operation* op) {
  if (op->getNumResults() != 1 || !is_group(op->getResult(0).getType())) return fault(op) << "results in a !pto.group";
  for (Value v : op->getOperands())
    if (!is_tensor(v.getType()))
      return fault(op) << "is made of tensors, one a rank; it is given " << type_name(v.getType());
  const TypeSpec& group = *spec_of(op->getResult(0).getType());
  if (!group.schematic && group.ranks != static_cast<std::int64_t>(op->getNumOperands()))
    return fault(op) << "has " << op->getNumOperands() << " tensors, the group " << group.ranks << " ranks";
  return success();
}

ParseResult parse_section(mlir::OpAsmParser& p, mlir::OperationState& state) {
  mlir::Region* body = state.addRegion();
  if (p.parseOptionalAttrDictWithKeyword(state.attributes) || p.parseRegion(*body)) return failure();
  if (body->empty()) body->emplaceBlock();
  return success();
}

}  // namespace

namespace {

ParseResult parse_by_name(mlir::OpAsmParser& p, mlir::OperationState& state) {
  const StringRef base = state.name.getStringRef().drop_front(4);
  if (is_instruction(base)) return parse_instruction(base, p, state);
  if (base == "make_tensor_view") return parse_view("shape", "strides", p, state);
  if (base == "partition_view") return parse_view("offsets", "sizes", p, state);
  if (base == "alloc_tile") return parse_alloc(p, state);
  if (base == "tassign") return parse_tassign(p, state);
  if (base == "set_validshape") return parse_validshape(p, state);
  if (base == "get_block_idx" || base == "get_block_num") return parse_block_id(p, state);
  if (base == "make_group") return parse_make_group(p, state);
  if (base.starts_with("section.")) return parse_section(p, state);
  if (base == "unknown") return p.emitError(p.getNameLoc()) << "stands for others and is not written";
  return parse_flag(base, p, state);
}

/// Attributes may stand in several places, and our own among them.
ParseResult refuse_duplicates(mlir::OpAsmParser& p, const mlir::OperationState& state) {
  llvm::StringSet<> seen;
  for (const mlir::NamedAttribute& attribute : state.attributes)
    if (!seen.insert(attribute.getName()).second)
      return p.emitError(p.getNameLoc()) << "attribute " << attribute.getName() << " is given twice";
  return success();
}

}  // namespace

ParseResult parse_operation(mlir::OpAsmParser& p, mlir::OperationState& state) {
  return failure(parse_by_name(p, state) || refuse_duplicates(p, state));
}

ParseResult parse_unregistered(mlir::OpAsmParser& p, mlir::OperationState& state) {
  const StringRef name = state.name.getStringRef();
  if (name == "pto.pipe_barrier") {
    state.name = mlir::OperationName("pto.barrier", p.getContext());
    return parse_operation(p, state);
  }
  const Opcode opcode = parse_opcode({name.data(), name.size()});
  if (!opcode.error.empty()) return p.emitError(p.getNameLoc()) << opcode.error;
  if (("pto." + opcode.base) == name || !has_operation(opcode.base))
    return failure(parse_unknown(p, state) || refuse_duplicates(p, state));
  state.name = mlir::OperationName("pto." + opcode.base, p.getContext());
  if (parse_operation(p, state)) return failure();
  for (const auto& [kind, value] : opcode.policies) {
    const char* attribute = find_kind(kind)->attribute;
    if (state.attributes.get(attribute))
      return p.emitError(p.getNameLoc()) << attribute << " is given twice, as a suffix and as an attribute";
    state.addAttribute(attribute, PtoAttr::get(p.getContext(), kind, value));
  }
  return success();
}

void print_operation(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  const StringRef base = base_name(op);
  if (is_instruction(base)) return print_instruction(op, p);
  if (base == "make_tensor_view") return print_view(op, p, "shape", "strides");
  if (base == "partition_view") return print_view(op, p, "offsets", "sizes");
  if (base == "alloc_tile") return print_alloc(op, p);
  if (base == "tassign") return print_tassign(op, p);
  if (base == "unknown") return print_unknown(op, p);
  if (base == "set_validshape") {
    p << " " << op->getOperands();
    p.printOptionalAttrDict(op->getAttrs());
    p << " : " << op->getOperand(0).getType();
    return;
  }
  if (base == "get_block_idx" || base == "get_block_num") {
    p.printOptionalAttrDict(op->getAttrs());
    p << " : " << op->getResultTypes();
    return;
  }
  if (base == "make_group") {
    p << " " << op->getOperands();
    p.printOptionalAttrDict(op->getAttrs());
    p << " : (" << op->getOperandTypes() << ") -> " << op->getResultTypes();
    return;
  }
  if (base.starts_with("section.")) {
    p.printOptionalAttrDictWithKeyword(op->getAttrs());
    p << " ";
    p.printRegion(op->getRegion(0), false, false);
    return;
  }
  print_flag(op, p);
}

mlir::LogicalResult verify_operation(mlir::Operation* op) {
  const StringRef base = base_name(op);
  if (is_instruction(base)) return verify_instruction(op);
  if (base == "make_tensor_view") return verify_view(op, "shape", "strides");
  if (base == "partition_view") return verify_view(op, "offsets", "sizes");
  if (base == "alloc_tile") return verify_alloc(op);
  if (base == "tassign") return verify_tassign(op);
  if (base == "set_validshape") return verify_validshape(op);
  if (base == "get_block_idx" || base == "get_block_num") return verify_block_id(op);
  if (base == "make_group") return verify_make_group(op);
  if (base == "unknown" || base.starts_with("section.")) return success();
  return verify_flag(op);
}

}  // namespace ptox::assembly
