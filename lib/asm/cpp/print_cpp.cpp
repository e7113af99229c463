// SPDX-License-Identifier: Apache-2.0
#include "asm/cpp/print_cpp.hpp"

#include <climits>

#include "asm/text/print.hpp"
#include "asm/verify/verify.hpp"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "pto/tile/tile_type.hpp"

namespace ptox::assembly {

namespace cpp {

using mlir::Operation;
using mlir::Value;
using pto::instr::unknown;

namespace {

std::string operation_name(Operation* op) {
  const auto name = op->getAttrOfType<mlir::StringAttr>("name");
  return base_name(op) == "unknown" && name ? name.getValue().str() : op->getName().getStringRef().str();
}

void judge_tile(Operation* op, const TypeSpec& spec) {
  if (const char* fault = pto::instr::tile_type_fault(spec.tile))
    refuse(op, std::string(fault) + "; it is !pto." + to_text(spec));
  if (spec.tile.rows > INT_MAX || spec.tile.cols > INT_MAX)
    refuse(op, "a tile's extents are int in C++; it is !pto." + to_text(spec));
}

void judge_tensor(Operation* op, const TensorDesc& t) {
  for (int i = 0; i < 5; ++i)
    for (const std::int64_t n : {t.shape[i], t.stride[i]})
      if (n != unknown && n < 0)
        refuse(op, "extents and strides in a C++ type are 0 or more; one is " + std::to_string(n));
}

}  // namespace

void refuse(Operation* op, const std::string& why) {
  throw Refusal{operation_name(op) + " cannot be printed as C++: " + why, place_of(op->getLoc())};
}

std::string Body::use(Operation* user, Value value) const {
  const auto at = texts_.find(value);
  if (at == texts_.end()) refuse(user, "it reads a value that has no C++ name");
  return at->second;
}
std::string Body::use(Operation* user, mlir::OpFoldResult value) const {
  if (const auto v = mlir::dyn_cast<Value>(value)) return use(user, v);
  return number(*constant_of(value));
}
std::string Body::list(Operation* user, mlir::ValueRange values) const {
  std::string all;
  for (Value v : values) all += (all.empty() ? "" : ", ") + use(user, v);
  return all;
}

std::string Body::declare(Value value, std::string_view otherwise) {
  return texts_[value] = names_.take(assembly::name_of(value), otherwise);
}

std::string Body::type_of(Operation* user, mlir::Type type) const {
  if (const auto scalar = scalar_type(type)) return *scalar;
  const TypeSpec* spec = spec_of(type);
  std::string text;
  llvm::raw_string_ostream(text) << type;
  if (spec && spec->schematic) refuse(user, text + " is schematic. Write its extents and element type");
  if (spec && spec->kind == TypeSpec::Kind::ptr) return "__gm__ " + element_type(spec->dtype) + "*";
  if (!spec || !spec->is_tile()) refuse(user, "there is no C++ type for " + text + " here");
  judge_tile(user, *spec);
  return tile_type(spec->tile);
}
std::string Body::type_of(Operation* user, Value value) const {
  if (!is_tensor(value.getType()) || is_schematic(value.getType())) return type_of(user, value.getType());
  const TensorDesc tensor = described(value);
  judge_tensor(user, tensor);
  return tensor_type(tensor);
}

std::string Body::parameter(Operation* function, mlir::BlockArgument argument) {
  const std::string type = type_of(function, argument), name = declare(argument, "arg");
  if (!is_tensor(argument.getType())) return type + (is_tile(argument.getType()) ? "& " : " ") + name;
  const TensorDesc tensor = described(argument);
  const bool called = functions_.called.contains(mlir::cast<mlir::FunctionOpInterface>(function).getName().str());
  const bool by_pointer = !called && tensor.is_static();
  const std::string view = by_pointer ? names_.take(name + "_gm") : name;
  if (by_pointer) line(type + " " + view + "(" + name + ");");
  texts_[argument] = view;
  adopt_view(argument, view);
  return by_pointer ? "__gm__ " + element_type(tensor.dtype) + "* " + name : type + "& " + name;
}

std::string Body::signature(Operation* function) {
  auto f = mlir::cast<mlir::FunctionOpInterface>(function);
  std::string results;
  for (mlir::Type t : f.getResultTypes()) {
    if (is_tile(t) || is_tensor(t)) refuse(function, "it returns a tile or a view. Let it write one instead");
    results += (results.empty() ? "" : ", ") + type_of(function, t);
  }
  if (f.getNumResults() > 1) results = "std::tuple<" + results + ">";
  const std::string head =
      "AICORE " + (results.empty() ? "void" : results) + " " + functions_.names.at(f.getName().str()) + "(";
  std::vector<std::string> parameters;
  for (mlir::BlockArgument a : f.getArguments()) parameters.push_back(parameter(function, a));
  const std::string one_line = head + llvm::join(parameters, ", ") + ")";
  return one_line.size() < 118 ? one_line : head + "\n    " + llvm::join(parameters, ",\n    ") + ")";
}

/// Whether the printed C++ code uses this operand. An extent of a view is used only if the type leaves an extent open
/// and the view itself is used (or has one dimension, whose stride depends on the extent).
bool Body::reads(mlir::OpOperand& use) const {
  Operation* op = use.getOwner();
  const bool whole = base_name(op) == "make_tensor_view";
  if (dead_.contains(op)) return false;
  if ((!whole && base_name(op) != "partition_view") || use.getOperandNumber() == 0) return true;
  const auto extents = view_list(op, whole ? "shape" : "sizes"), others = view_list(op, whole ? "strides" : "offsets");
  const auto uses = [&](mlir::OpFoldResult v) { return mlir::dyn_cast<Value>(v) == use.get(); };
  if (llvm::any_of(others, uses)) return true;
  const bool open = llvm::is_contained(described(op->getResult(0)).shape, unknown);
  return open && (is_read(op->getResult(0)) || extents.size() == 1);
}

void Body::find_dead(Operation* function) {
  function->walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation* op) {
    const bool pure = op->getName().getDialectNamespace() == "arith" || base_name(op).starts_with("get_");
    if (pure && llvm::none_of(op->getUses(), [&](mlir::OpOperand& use) { return reads(use); })) dead_.insert(op);
  });
}

void Body::print(Operation* op) {
  if (dead_.contains(op)) return;
  for (mlir::Type t : op->getOperandTypes())
    if (is_schematic(t)) (void)type_of(op, t);
  if (!print_arith(op) && !print_flow(op) && !print_memory(op) && !print_ranks(op) && !print_issue(op))
    refuse(op, "there is no C++ for it here");
}

std::string Body::statements(Operation* function) {
  if (!llvm::hasSingleElement(function->getRegion(0))) refuse(function, "its body is more than one block");
  mlir::Block& body = function->getRegion(0).front();
  find_dead(function);
  declare_events(function);
  print_block(body);
  print_return(body.getTerminator());
  return text_;
}

namespace {

/// Assigns a C++ name to every function before any is printed, because they may call each other.
Functions name_functions(mlir::ModuleOp module, Names& names) {
  Functions all;
  for (Operation& op : *module.getBody()) {
    auto f = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
    if (!f) refuse(&op, "a module is printed with its functions alone");
    if (f.isExternal()) refuse(&op, "it has no body");
    all.operations[f.getName().str()] = &op;
    all.names[f.getName().str()] = names.take(f.getName());
  }
  module.walk([&](Operation* op) {
    if (const auto callee = op->getAttrOfType<mlir::FlatSymbolRefAttr>("callee"))
      all.called.insert(callee.getValue().str());
  });
  return all;
}

/// Declarations of all functions that are called by others.
std::string prototypes(const Functions& functions, const Names& names) {
  std::string text;
  for (const std::string& name : functions.called)
    if (const auto at = functions.operations.find(name); at != functions.operations.end())
      text += Body(functions, names).signature(at->second) + ";\n";
  return text.empty() ? "" : "\n" + text;
}

std::string print_module(const Module& module) {
  Names names;
  const Functions functions = name_functions(module.op.get(), names);
  std::string text = prototypes(functions, names);
  for (Operation& op : *module.op.get().getBody()) {
    Body body(functions, names);
    const std::string signature = body.signature(&op);
    text += "\n" + signature + " {\n" + body.statements(&op) + "}\n";
  }
  return preamble(module.file, text) + text;
}

}  // namespace

}  // namespace cpp

namespace {

/// A rule that is broken on every target, which the C++ compiler would reject as well.
std::optional<Diagnostic> broken_everywhere(const Module& module) {
  std::vector<Diagnostics> said;
  for (const Target* t : target::on_host) verify(module, *t, said.emplace_back());
  const auto at = [](const Diagnostics& all, const Diagnostic& d) {
    return llvm::any_of(all.all(), [&](const Diagnostic& other) {
      return other.place.line == d.place.line && other.place.column == d.place.column;
    });
  };
  for (const Diagnostic& d : said.front().all())
    if (llvm::all_of(said, [&](const Diagnostics& all) { return at(all, d); })) return d;
  return std::nullopt;
}

}  // namespace

std::string to_cpp(const Module& module, Diagnostics& out) {
  try {
    std::string text = cpp::print_module(module);
    const auto broken = broken_everywhere(module);
    if (!broken) return text;
    out.error(broken->message, broken->place);
    return "";
  } catch (const cpp::Refusal& refusal) {
    out.error(refusal.message, refusal.place);
    return "";
  }
}

}  // namespace ptox::assembly
