// SPDX-License-Identifier: Apache-2.0
#include "asm/dialect/unknown.hpp"

#include "asm/dialect/syntax_parts.hpp"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"

namespace ptox::assembly {

namespace {

/// Skips white space and comments.
const char* skip(const char* c) {
  for (;;) {
    while (llvm::isSpace(*c)) ++c;
    if (c[0] != '/' || c[1] != '/') return c;
    while (*c && *c != '\n') ++c;
  }
}

/// Whether the results of the next operation follow: `%a, %b:2 =`.
bool starts_operation(const char* at) {
  for (at = skip(at); *at == '%'; at = skip(at + 1)) {
    for (++at; llvm::isAlnum(*at) || (*at && StringRef("$._-#:").contains(*at));) ++at;
    at = skip(at);
    if (*at != ',') break;
  }
  return at[0] == '=' && at[1] != '=';
}

/// Whether the brace at `at` opens an attribute dictionary and not a region: `{}`, `{name = ...`, `{name, ...`,
/// `{name}`. A single name with a dot on a line of its own is an operation in a region.
bool opens_attributes(const char* at) {
  at = skip(at);
  if (*at != '{') return true;
  const char* const begin = at = skip(at + 1);
  if (*at == '"') {
    for (++at; *at && *at != '"' && *at != '\n'; ++at)
      if (at[0] == '\\' && at[1]) ++at;
    if (*at) ++at;
  } else {
    while (llvm::isAlnum(*at) || *at == '_' || *at == '.' || *at == '$') ++at;
  }
  const StringRef name(begin, static_cast<std::size_t>(at - begin));
  const char* const after = skip(at);
  const bool own_line = StringRef(at, static_cast<std::size_t>(after - at)).contains('\n');
  if (*after == '}' && own_line && name.contains('.')) return false;
  return *after == '=' || *after == ',' || *after == '}';
}

/// Attributes in which the syntax of an unknown operation is stored.
constexpr StringRef own_names[] = {"name", "groups", "list", "words"};

struct Parts {
  SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types, results;
  std::int64_t ins = -1, outs = -1;  ///< number of operands in ins(...), outs(...); -1 if absent
  mlir::ArrayAttr list, words;       ///< null if absent
};

ParseResult parse_attributes(mlir::OpAsmParser& p, mlir::OperationState& state) {
  if (!opens_attributes(p.getCurrentLocation().getPointer())) return success();
  return p.parseOptionalAttrDict(state.attributes);
}

/// Parses `[#pto.pipe<..>, ...]` and `<PIPE_V, ...>`.
ParseResult parse_brackets(mlir::OpAsmParser& p, Parts& parts) {
  using Delimiter = mlir::AsmParser::Delimiter;
  SmallVector<mlir::Attribute> items;
  const auto item = [&]() { return p.parseAttribute(items.emplace_back()); };
  if (succeeded(p.parseOptionalLSquare())) {
    if (failed(p.parseOptionalRSquare()) && (p.parseCommaSeparatedList(item) || p.parseRSquare())) return failure();
    parts.list = p.getBuilder().getArrayAttr(items);
  }
  SmallVector<StringRef> words;
  const auto word = [&]() { return p.parseKeyword(&words.emplace_back()); };
  if (p.parseCommaSeparatedList(Delimiter::OptionalLessGreater, word)) return failure();
  if (!words.empty()) parts.words = p.getBuilder().getStrArrayAttr(words);
  return success();
}

ParseResult parse_types(mlir::OpAsmParser& p, SmallVector<Type>& types) {
  if (failed(p.parseOptionalLParen())) return p.parseTypeList(types);
  if (succeeded(p.parseOptionalRParen())) return success();
  return failure(p.parseTypeList(types) || p.parseRParen());
}

ParseResult parse_operands(mlir::OpAsmParser& p, mlir::OperationState& state, Parts& parts) {
  const auto group = [&](StringRef word, std::int64_t& count) -> ParseResult {
    if (failed(p.parseOptionalKeyword(word))) return success();
    const std::size_t before = parts.operands.size();
    if (parse_group(p, parts.operands, parts.types)) return failure();
    count = static_cast<std::int64_t>(parts.operands.size() - before);
    return success();
  };
  if (group("ins", parts.ins) || group("outs", parts.outs)) return failure();
  if (parts.ins < 0 && parts.outs < 0) {
    const bool listed = !starts_operation(p.getCurrentLocation().getPointer());
    if ((listed && p.parseOperandList(parts.operands)) || parse_attributes(p, state)) return failure();
    if (succeeded(p.parseOptionalColon()) && parse_types(p, parts.types)) return failure();
  }
  if (succeeded(p.parseOptionalArrow()) && parse_types(p, parts.results)) return failure();
  return success();
}

ParseResult parse_regions(mlir::OpAsmParser& p, mlir::OperationState& state) {
  while (!opens_attributes(p.getCurrentLocation().getPointer())) {
    mlir::Region* body = state.addRegion();
    if (p.parseRegion(*body)) return failure();
    if (body->empty()) body->emplaceBlock();
  }
  return success();
}

}  // namespace

ParseResult parse_unknown(mlir::OpAsmParser& p, mlir::OperationState& state) {
  const StringRef original = state.name.getStringRef();
  const auto at = p.getNameLoc();
  Parts parts;
  state.name = mlir::OperationName("pto.unknown", p.getContext());
  if (parse_brackets(p, parts) || parse_attributes(p, state) || parse_operands(p, state, parts) ||
      parse_attributes(p, state) || parse_regions(p, state))
    return failure();
  for (StringRef own : own_names)
    if (state.attributes.get(own))
      return p.emitError(at) << "ptox does not have '" << original << "', and cannot keep its attribute " << own;
  if (parts.results.empty() && parts.operands.empty() && parts.types.size() == p.getNumResults())
    std::swap(parts.results, parts.types);
  if (parts.operands.size() != parts.types.size() || parts.results.size() != p.getNumResults())
    return p.emitError(at) << "ptox does not have '" << original
                           << "', and cannot read its operands without their types";
  state.addAttribute("name", p.getBuilder().getStringAttr(original));
  state.addAttribute("groups", p.getBuilder().getDenseI64ArrayAttr({parts.ins, parts.outs}));
  if (parts.list) state.addAttribute("list", parts.list);
  if (parts.words) state.addAttribute("words", parts.words);
  state.addTypes(parts.results);
  return p.resolveOperands(parts.operands, parts.types, at, state.operands);
}

namespace {

void print_group(mlir::OpAsmPrinter& p, StringRef word, mlir::OperandRange operands) {
  p << " " << word << "(";
  if (!operands.empty()) p << operands << " : " << operands.getTypes();
  p << ")";
}

void print_brackets(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  if (const auto list = op->getAttrOfType<mlir::ArrayAttr>("list")) p << list;
  const auto words = op->getAttrOfType<mlir::ArrayAttr>("words");
  if (!words) return;
  p << " <";
  llvm::interleaveComma(words, p, [&](mlir::Attribute word) {
    const auto text = mlir::dyn_cast<mlir::StringAttr>(word);
    p << (text ? text.getValue() : StringRef("?"));
  });
  p << ">";
}

}  // namespace

void print_unknown(mlir::Operation* op, mlir::OpAsmPrinter& p) {
  const auto groups = op->getAttrOfType<mlir::DenseI64ArrayAttr>("groups");
  const std::int64_t ins = groups && groups.size() == 2 ? groups[0] : -1,
                     outs = groups && groups.size() == 2 ? groups[1] : -1;
  const bool grouped = (ins >= 0 || outs >= 0) && std::max<std::int64_t>(ins, 0) + std::max<std::int64_t>(outs, 0) ==
                                                      static_cast<std::int64_t>(op->getNumOperands());
  const auto operands = op->getOperands();
  print_brackets(op, p);
  if (grouped) {
    const auto inputs = static_cast<unsigned>(std::max<std::int64_t>(ins, 0));
    if (ins >= 0) print_group(p, "ins", operands.take_front(inputs));
    if (outs >= 0) print_group(p, "outs", operands.drop_front(inputs));
  } else if (!operands.empty()) {
    p << " " << operands << " : (" << operands.getTypes() << ")";
  }
  if (op->getNumResults()) p << " -> (" << op->getResultTypes() << ")";
  p.printOptionalAttrDict(op->getAttrs(), own_names);
  for (mlir::Region& region : op->getRegions()) p << " ", p.printRegion(region, false, true);
}

}  // namespace ptox::assembly
