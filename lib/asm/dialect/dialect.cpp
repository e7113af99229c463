// SPDX-License-Identifier: Apache-2.0
#include "asm/dialect/dialect.hpp"

#include <algorithm>

#include "asm/dialect/syntax.hpp"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

namespace ptox::assembly {

using llvm::StringRef;

/// Storage of a type. MLIR uniques types by the canonical text.
struct detail::TypeStorage : mlir::TypeStorage {
  using KeyTy = StringRef;
  explicit TypeStorage(TypeSpec spec, StringRef text) : spec(std::move(spec)), text(text) {}
  bool operator==(const KeyTy& key) const { return key == text; }
  static TypeStorage* construct(mlir::TypeStorageAllocator& allocator, const KeyTy& key) {
    const StringRef text = allocator.copyInto(key);
    return new (allocator.allocate<TypeStorage>()) TypeStorage(*parse_type({text.data(), text.size()}).type, text);
  }
  TypeSpec spec;
  StringRef text;
};

struct detail::AttrStorage : mlir::AttributeStorage {
  using KeyTy = std::pair<StringRef, StringRef>;
  explicit AttrStorage(const KeyTy& key) : kind(key.first), value(key.second) {}
  bool operator==(const KeyTy& key) const { return key == KeyTy(kind, value); }
  static AttrStorage* construct(mlir::AttributeStorageAllocator& allocator, const KeyTy& key) {
    return new (allocator.allocate<AttrStorage>())
        AttrStorage({allocator.copyInto(key.first), allocator.copyInto(key.second)});
  }
  StringRef kind, value;
};

PtoType PtoType::get(mlir::MLIRContext* context, const TypeSpec& spec) { return Base::get(context, to_text(spec)); }
const TypeSpec& PtoType::spec() const { return getImpl()->spec; }

PtoAttr PtoAttr::get(mlir::MLIRContext* context, StringRef kind, StringRef value) {
  return Base::get(context, kind, value);
}
StringRef PtoAttr::kind() const { return getImpl()->kind; }
StringRef PtoAttr::value() const { return getImpl()->value; }
int PtoAttr::index() const {
  const PolicyKind* known = find_kind(kind());
  if (!known) return 0;
  const auto at = std::find(known->values.begin(), known->values.end(), value().str());
  return at == known->values.end() ? 0 : static_cast<int>(at - known->values.begin());
}

namespace {

/// An operation of the dialect. Its syntax and verifier are selected by name in syntax.cpp.
template <pto::instr::FixedString Name, template <class> class... Traits>
class PtoOp : public mlir::Op<PtoOp<Name, Traits...>, mlir::OpTrait::VariadicOperands, mlir::OpTrait::VariadicResults,
                              mlir::OpTrait::ZeroSuccessors, Traits...> {
 public:
  using Base = mlir::Op<PtoOp<Name, Traits...>, mlir::OpTrait::VariadicOperands, mlir::OpTrait::VariadicResults,
                        mlir::OpTrait::ZeroSuccessors, Traits...>;
  using Base::Base;
  static StringRef getOperationName() { return Name.chars; }
  static llvm::ArrayRef<StringRef> getAttributeNames() { return {}; }
  static mlir::ParseResult parse(mlir::OpAsmParser& parser, mlir::OperationState& state) {
    return parse_operation(parser, state);
  }
  void print(mlir::OpAsmPrinter& printer) { print_operation(this->getOperation(), printer); }
  /// Prints pto.unknown under the operation name that the file used.
  static mlir::OperationName::PrintAssemblyFn getPrintAssemblyFn() {
    return [](mlir::Operation* op, mlir::OpAsmPrinter& printer, StringRef) {
      const auto name = op->getAttrOfType<mlir::StringAttr>("name");
      const bool renamed = name && op->getName().getStringRef() == "pto.unknown";
      printer << (renamed ? name.getValue() : op->getName().getStringRef());
      print_operation(op, printer);
    };
  }
  mlir::LogicalResult verify() { return verify_operation(this->getOperation()); }
};

/// Visits the class of every operation without regions, that is, all except the sections.
template <class Visit>
void each_plain_op(Visit&& visit) {
  using mlir::OpTrait::ZeroRegions;
  visit.template operator()<
      PtoOp<"pto.mgather", ZeroRegions>, PtoOp<"pto.mscatter", ZeroRegions>, PtoOp<"pto.tload", ZeroRegions>,
      PtoOp<"pto.tstore", ZeroRegions>, PtoOp<"pto.tprefetch", ZeroRegions>, PtoOp<"pto.tgather", ZeroRegions>,
      PtoOp<"pto.tgatherb", ZeroRegions>, PtoOp<"pto.tscatter", ZeroRegions>, PtoOp<"pto.tmov", ZeroRegions>,
      PtoOp<"pto.texpands", ZeroRegions>, PtoOp<"pto.tbroadcast", ZeroRegions>, PtoOp<"pto.treduce", ZeroRegions>,
      PtoOp<"pto.make_group", ZeroRegions>, PtoOp<"pto.make_tensor_view", ZeroRegions>,
      PtoOp<"pto.partition_view", ZeroRegions>, PtoOp<"pto.alloc_tile", ZeroRegions>, PtoOp<"pto.tassign", ZeroRegions>,
      PtoOp<"pto.set_validshape", ZeroRegions>, PtoOp<"pto.set_flag", ZeroRegions>, PtoOp<"pto.wait_flag", ZeroRegions>,
      PtoOp<"pto.barrier", ZeroRegions>, PtoOp<"pto.record_event", ZeroRegions>, PtoOp<"pto.wait_event", ZeroRegions>,
      PtoOp<"pto.dcci", ZeroRegions>, PtoOp<"pto.dsb", ZeroRegions>, PtoOp<"pto.get_block_idx", ZeroRegions>,
      PtoOp<"pto.get_block_num", ZeroRegions>, PtoOp<"pto.get_rank", ZeroRegions>,
      PtoOp<"pto.get_rank_num", ZeroRegions>, PtoOp<"pto.at_rank", ZeroRegions>,
      PtoOp<"pto.unknown", mlir::OpTrait::VariadicRegions, mlir::OpTrait::NoTerminator>>();
}
template <pto::instr::FixedString Name>
using SectionOp = PtoOp<Name, mlir::OpTrait::OneRegion, mlir::OpTrait::NoRegionArguments, mlir::OpTrait::NoTerminator,
                        mlir::OpTrait::SingleBlock>;
using VectorSection = SectionOp<"pto.section.vector">;
using CubeSection = SectionOp<"pto.section.cube">;

/// Splits `gather_oob<zero>` or `gather_oob zero` into kind and value. Closing brackets of `#pto<...>` are ignored.
std::pair<StringRef, StringRef> split_attribute(StringRef text) {
  text = text.trim();
  const std::size_t end = text.find_first_of("< \t\n>");
  StringRef kind = text.take_front(end), value = end == StringRef::npos ? "" : text.drop_front(end).trim();
  if (value.consume_front("<")) return {kind, value.take_front(value.rfind('>')).trim()};
  return {kind, value.take_until([](char c) { return c == '>'; }).trim()};
}

}  // namespace

PtoDialect::PtoDialect(mlir::MLIRContext* context)
    : Dialect(getDialectNamespace(), context, mlir::TypeID::get<PtoDialect>()) {
  addTypes<PtoType>();
  addAttributes<PtoAttr>();
  each_plain_op([&]<class... Ops>() { addOperations<Ops..., VectorSection, CubeSection>(); });
}

mlir::Type PtoDialect::parseType(mlir::DialectAsmParser& parser) const {
  const StringRef text = parser.getFullSymbolSpec();
  ParsedType parsed = parse_type({text.data(), text.size()});
  if (parsed.type) return PtoType::get(getContext(), *parsed.type);
  parser.emitError(parser.getNameLoc()) << parsed.error;
  return {};
}
void PtoDialect::printType(mlir::Type type, mlir::DialectAsmPrinter& printer) const {
  printer << to_text(mlir::cast<PtoType>(type).spec());
}

mlir::Attribute PtoDialect::parseAttribute(mlir::DialectAsmParser& parser, mlir::Type type) const {
  const auto [kind, value] = split_attribute(parser.getFullSymbolSpec());
  const PolicyKind* known = find_kind({kind.data(), kind.size()});
  const auto with_type = [&](PtoAttr attribute) -> mlir::Attribute {  // PtoAttr has no type: return both in an array
    if (!type) return attribute;
    return mlir::ArrayAttr::get(getContext(), {attribute, mlir::TypeAttr::get(type)});
  };
  if (!known) return with_type(PtoAttr::get(getContext(), kind, value));
  for (const std::string& v : known->values)
    if (!v.empty() && value.equals_insensitive(v)) return with_type(PtoAttr::get(getContext(), kind, v));
  auto error = parser.emitError(parser.getNameLoc());
  error << kind << " is '" << value << "'; it must be one of";
  for (const std::string& v : known->values)
    if (!v.empty()) error << " " << v;
  return {};
}
void PtoDialect::printAttribute(mlir::Attribute attribute, mlir::DialectAsmPrinter& printer) const {
  const PtoAttr a = mlir::cast<PtoAttr>(attribute);
  printer << a.kind() << "<" << a.value() << ">";
}

std::optional<mlir::Dialect::ParseOpHook> PtoDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(parse_unregistered);  // a plain function: ParseOpHook does not own its callable
}

StringRef base_name(mlir::Operation* op) {
  StringRef name = op->getName().getStringRef();
  return name.consume_front("pto.") ? name : "";
}

PtoAttr policy_attr(mlir::Operation* op, StringRef kind) {
  const PolicyKind* known = find_kind({kind.data(), kind.size()});
  const auto attr = known ? op->getAttrOfType<PtoAttr>(known->attribute) : PtoAttr();
  return attr && attr.kind() == kind ? attr : PtoAttr();
}
void set_policy(mlir::Operation* op, StringRef kind, StringRef value) {
  op->setAttr(find_kind({kind.data(), kind.size()})->attribute, PtoAttr::get(op->getContext(), kind, value));
}

llvm::SmallVector<mlir::OpFoldResult> view_list(mlir::Operation* view, StringRef name) {
  const auto counted = [&](StringRef list) {
    const auto attr = view->getAttrOfType<mlir::DenseI64ArrayAttr>(("static_" + list).str());
    return attr ? attr.asArrayRef() : llvm::ArrayRef<std::int64_t>();
  };
  const bool second = name == "strides" || name == "sizes";
  unsigned next = 1;
  if (second)
    next += static_cast<unsigned>(llvm::count(counted(name == "strides" ? "shape" : "offsets"), given_by_value));
  llvm::SmallVector<mlir::OpFoldResult> list;
  mlir::Builder builder(view->getContext());
  for (std::int64_t n : counted(name)) {
    if (n != given_by_value)
      list.push_back(builder.getI64IntegerAttr(n));
    else if (next < view->getNumOperands())
      list.push_back(view->getOperand(next++));
  }
  return list;
}

std::optional<std::int64_t> constant_of(mlir::OpFoldResult value) { return mlir::getConstantIntValue(value); }
std::optional<std::int64_t> constant_of(mlir::Value value) {
  return mlir::getConstantIntValue(mlir::OpFoldResult(value));
}

namespace {
constexpr StringRef alloc_names[] = {"addr", "valid_row", "valid_col"};
}

mlir::Value alloc_operand(mlir::Operation* alloc, StringRef name) {
  const auto present = alloc->getAttrOfType<mlir::DenseI64ArrayAttr>("operands");
  if (!present || present.size() != 3) return {};
  unsigned next = 0;
  for (unsigned i = 0; i < 3; ++i) {
    if (!present[i]) continue;
    if (alloc_names[i] == name) return next < alloc->getNumOperands() ? alloc->getOperand(next) : mlir::Value();
    ++next;
  }
  return {};
}
void set_alloc_operands(mlir::OperationState& state, mlir::Value addr, mlir::Value valid_row, mlir::Value valid_col) {
  const std::int64_t present[] = {!!addr, !!valid_row, !!valid_col};
  for (mlir::Value v : {addr, valid_row, valid_col})
    if (v) state.operands.push_back(v);
  state.addAttribute("operands", mlir::DenseI64ArrayAttr::get(state.getContext(), present));
}

mlir::Operation* create_op(mlir::OpBuilder& builder, mlir::Location loc, StringRef base, mlir::TypeRange results,
                           mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::OperationState state(loc, ("pto." + base).str(), operands, results, attributes);
  return builder.create(state);
}

bool has_operation(StringRef base) {
  static const auto names = [] {
    std::vector<std::string> all{"section.vector", "section.cube"};
    each_plain_op([&]<class... Ops>() { (all.push_back(Ops::getOperationName().drop_front(4).str()), ...); });
    return all;
  }();
  return base != "unknown" && llvm::is_contained(names, base);
}

}  // namespace ptox::assembly
