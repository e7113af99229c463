// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "asm/dialect/operands.hpp"
#include "asm/text/opcode.hpp"
#include "asm/text/print.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

using llvm::StringRef;
using mlir::Operation;
using mlir::Value;

namespace {

template <class T>
std::string shown(T what) {
  std::string text;
  llvm::raw_string_ostream(text) << what;
  return text;
}

/// Unique names of the values of a function. The name in the file is used if it is valid and not taken.
class ValueNames {
 public:
  std::string of(Value value) {
    std::string& name = names_[value];
    if (name.empty()) name = "%" + fresh(plain(name_of(value)));
    return name;
  }
  std::string argument(mlir::BlockArgument value, const std::string& otherwise) {
    const std::string own = plain(name_of(value));
    return names_[value] = "%" + fresh(own.empty() ? otherwise : own);
  }

 private:
  static bool is_number(StringRef name) { return !name.empty() && name.find_first_not_of("0123456789") == name.npos; }
  /// Replaces characters that a name cannot contain.
  static std::string plain(std::string name) {
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && !StringRef("_$.-").contains(c)) c = '_';
    const bool digit = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front()));
    return digit && !is_number(name) ? "_" + name : name;
  }
  std::string fresh(const std::string& wanted) {
    if (!wanted.empty() && used_.try_emplace(wanted, 0).second) return wanted;
    const bool number = wanted.empty() || is_number(wanted);
    for (unsigned& next = number ? next_ : used_[wanted];;) {
      const std::string name = number ? std::to_string(next++) : wanted + "_" + std::to_string(++next);
      if (!used_.contains(name)) return used_.try_emplace(name, 0), name;
    }
  }

  llvm::DenseMap<Value, std::string> names_;
  llvm::StringMap<unsigned> used_;
  unsigned next_ = 0;
};

class Printer {
 public:
  explicit Printer(Diagnostics& out) : out_(out) {}

  std::string run(mlir::ModuleOp module) {
    mlir::func::FuncOp function = only_function(module);
    if (!function) return "";
    print_module(module);
    print_function(function);
    print_block(function.getBody().front(), 0);
    return failed_ ? "" : text_;
  }

 private:
  void fail(Operation* op, const std::string& message) {
    failed_ = true;
    out_.error(message, place_of(op->getLoc()));
  }
  /// The operation name as written in the file.
  static std::string name_in_file(Operation* op) {
    const auto name = op->getAttrOfType<mlir::StringAttr>("name");
    return name && base_name(op) == "unknown" ? name.str() : op->getName().getStringRef().str();
  }
  /// Whether the name would be read as a different operation in the AS form, where `pto.` is omitted.
  static bool is_taken(StringRef name) {
    name.consume_front("pto.");
    const StringRef dialect = name.split('.').first;
    return dialect == "arith" || dialect == "scf" || dialect == "func" || dialect == "builtin" || name == "return" ||
           name == "unknown";
  }
  void cannot(Operation* op, const std::string& what) {
    fail(op, "the AS form cannot say " + what + " of '" + name_in_file(op) + "'. Use the MLIR form");
  }

  void has_no(Operation* op) {
    fail(op, "the AS form has no '" + op->getName().getStringRef().str() + "'. Use the MLIR form");
  }

  mlir::func::FuncOp only_function(mlir::ModuleOp module) {
    mlir::func::FuncOp only;
    for (Operation& op : *module.getBody()) {
      auto function = mlir::dyn_cast<mlir::func::FuncOp>(op);
      if (!function)
        has_no(&op);
      else if (function.isExternal())
        cannot(&op, "the missing body");
      else if (only)
        fail(&op, "the AS form has one function; here is another, @" + function.getSymName().str());
      else
        only = function;
    }
    if (!only && !failed_) fail(module, "there is no function to print");
    if (only && only.getNumResults() > 0) cannot(only, "the results");
    if (only && !llvm::hasSingleElement(only.getBody())) cannot(only, "the several blocks");
    return failed_ ? mlir::func::FuncOp() : only;
  }

  static std::string attribute_text(mlir::NamedAttribute a) {
    const std::string braces = shown(mlir::DictionaryAttr::get(a.getName().getContext(), a));
    return braces.substr(1, braces.size() - 2);
  }
  void print_module(mlir::ModuleOp module) {
    for (mlir::NamedAttribute a : module->getAttrs()) {
      const auto arch = mlir::dyn_cast<mlir::StringAttr>(a.getValue());
      const bool target =
          a.getName() == "pto.target_arch" && arch && llvm::is_contained({"cpu", "a2a3", "a3", "a5"}, arch.getValue());
      text_ += target ? ".target " + arch.str() + "\n" : ".module_attr " + attribute_text(a) + "\n";
    }
  }
  void print_function(mlir::func::FuncOp function) {
    if (function.getSymName() != "main")
      text_ += ".func " + shown(mlir::FlatSymbolRefAttr::get(function.getContext(), function.getSymName())) + "\n";
    for (mlir::NamedAttribute a : function->getAttrs())
      if (!llvm::is_contained({"sym_name", "function_type", "arg_attrs", "res_attrs"}, a.getName().strref()))
        text_ += ".attr " + attribute_text(a) + "\n";
    for (mlir::BlockArgument a : function.getArguments()) {
      text_ += ".arg " + names_.argument(a, "arg" + std::to_string(a.getArgNumber())) + " : " + shown(a.getType());
      const mlir::DictionaryAttr attributes = function.getArgAttrDict(a.getArgNumber());
      if (attributes && !attributes.empty()) text_ += " " + shown(attributes);
      text_ += "\n";
    }
  }

  void print_block(mlir::Block& block, int depth) {
    for (Operation& op : block) {
      if (mlir::isa<mlir::func::ReturnOp, mlir::scf::YieldOp>(op)) continue;
      const std::size_t begin = text_.size();
      text_.append(static_cast<std::size_t>(depth) * 2, ' ');
      print(&op, depth);
      if (failed_) text_.resize(begin);
    }
  }
  void print(Operation* op, int depth) {
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) return print_for(loop, depth);
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) return print_if(branch, depth);
    const StringRef base = base_name(op);
    if (base.starts_with("section.") && op->getNumRegions() == 1) return print_section(op, depth);
    if (op->getNumRegions() > 0 && base == "unknown") return cannot(op, "the block");
    if (base == "unknown" && is_taken(name_in_file(op)))
      return fail(op, "the AS form means something else by '" + name_in_file(op) + "'. Use the MLIR form");
    if (op->getNumRegions() > 0 || (base.empty() && op->getName().getDialectNamespace() != "arith")) return has_no(op);
    const bool plain_constant = op->getName().getStringRef() == "arith.constant" && op->getAttrs().size() == 1;
    if (plain_constant) {
      text_ += ".const " + names_.of(op->getResult(0)) + " = " + shown(op->getAttrs()[0].getValue()) + "\n";
      return;
    }
    print_results(op);
    text_ += base == "unknown" ? unknown_text(op) : is_instruction(op) ? instruction_text(op) : mlir_text(op);
    text_ += "\n";
  }
  void print_results(Operation* op) {
    for (Value v : op->getResults()) text_ += (v == op->getResult(0) ? "" : ", ") + names_.of(v);
    if (op->getNumResults()) text_ += " = ";
  }

  // Blocks

  void print_body(mlir::Region& region, int depth) {
    text_ += " {\n";
    if (!region.empty()) print_block(region.front(), depth + 1);
    text_.append(static_cast<std::size_t>(depth) * 2, ' ');
    text_ += "}";
  }
  void print_for(mlir::scf::ForOp loop, int depth) {
    if (loop.getNumResults() > 0) return cannot(loop, "the iter_args");
    if (!loop->getAttrs().empty()) return cannot(loop, "the attributes");
    const mlir::Type type = loop.getInductionVar().getType();
    text_ += "scf.for " + names_.argument(mlir::cast<mlir::BlockArgument>(loop.getInductionVar()), "i") + " = " +
             names_.of(loop.getLowerBound()) + " to " + names_.of(loop.getUpperBound()) + " step " +
             names_.of(loop.getStep());
    if (!type.isIndex()) text_ += " : " + shown(type);
    print_body(loop.getRegion(), depth);
    text_ += "\n";
  }
  void print_if(mlir::scf::IfOp branch, int depth) {
    if (branch.getNumResults() > 0) return cannot(branch, "the results");
    if (!branch->getAttrs().empty()) return cannot(branch, "the attributes");
    text_ += "scf.if " + names_.of(branch.getCondition());
    print_body(branch.getThenRegion(), depth);
    if (!branch.getElseRegion().empty()) text_ += " else", print_body(branch.getElseRegion(), depth);
    text_ += "\n";
  }
  void print_section(Operation* op, int depth) {
    text_ += base_name(op).str();
    if (!op->getAttrs().empty()) text_ += " attributes " + shown(op->getAttrDictionary());
    print_body(op->getRegion(0), depth);
    text_ += "\n";
  }

  // Statements

  static bool is_instruction(Operation* op) {
    return fields_of(op) || (op->getNumOperands() > 0 && is_group(op->getOperand(0).getType()) && has_collective(op));
  }
  static bool has_collective(Operation* op) {
    return llvm::is_contained({"tgather", "tscatter", "tbroadcast", "treduce"}, base_name(op));
  }
  /// The operands in the order of the AS form: the output first, then the inputs, a scalar last.
  static llvm::SmallVector<Value> written_operands(Operation* op) {
    const auto fields = fields_of(op);
    if (!fields) return llvm::SmallVector<Value>(op->getOperands());
    llvm::SmallVector<Value> operands;
    for (Value v : fields->values)
      if (v && v.getDefiningOp() != op) operands.push_back(v);
    if (fields->scalar) operands.push_back(fields->scalar);
    return operands;
  }
  std::string instruction_text(Operation* op) {
    const llvm::SmallVector<Value> operands = written_operands(op);
    mlir::NamedAttrList left(op->getAttrs());
    std::string text = opcode_text(op, left), types;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      text += (i ? ", " : " ") + names_.of(operands[i]);
      types += (i ? ", " : "") + shown(operands[i].getType());
    }
    if (!left.empty()) text += " " + shown(left.getDictionary(op->getContext()));
    if (op->getNumResults() == 0) return text + " : (" + types + ")";
    return text + " : " + types + " -> " + shown(op->getResult(0).getType());
  }
  /// `mscatter.row.skip.atomic_add`. Policies that become suffixes are removed from `left`.
  static std::string opcode_text(Operation* op, mlir::NamedAttrList& left) {
    const StringRef base = base_name(op);
    std::string text = base.str();
    for (const PolicyKind* kind : policies_of({base.data(), base.size()})) {
      const PtoAttr policy = policy_attr(op, kind->kind);
      if (!policy) continue;
      const std::string suffix = suffix_of(kind->kind, {policy.value().data(), policy.value().size()});
      if (!suffix.empty()) text += "." + suffix, left.erase(kind->attribute);
    }
    return text;
  }

  /// `%a, %b : T, T`, with `between` between names and types.
  std::string operand_text(mlir::OperandRange operands, const std::string& between) {
    std::string names, types;
    for (Value v : operands) {
      names += (names.empty() ? "" : ", ") + names_.of(v);
      types += (types.empty() ? "" : ", ") + shown(v.getType());
    }
    return operands.empty() ? "" : names + between + types;
  }
  /// The opcode with the lists in [ ] and < > that follow it.
  static std::string unknown_opcode(Operation* op, mlir::NamedAttrList& left) {
    const auto name = mlir::dyn_cast_or_null<mlir::StringAttr>(left.erase("name"));
    std::string text = name ? name.str() : "pto.unknown";
    if (const mlir::Attribute list = left.erase("list")) text += shown(list);
    const auto words = op->getAttrOfType<mlir::ArrayAttr>("words");
    std::string all;
    for (mlir::Attribute w : words ? words.getValue() : llvm::ArrayRef<mlir::Attribute>())
      if (const auto word = mlir::dyn_cast<mlir::StringAttr>(w)) all += (all.empty() ? "" : ", ") + word.str();
    left.erase("words");
    return all.empty() ? text : text + " <" + all + ">";
  }
  std::string unknown_text(Operation* op) {
    mlir::NamedAttrList left(op->getAttrs());
    std::string text = unknown_opcode(op, left);
    const auto groups = mlir::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(left.erase("groups"));
    const std::int64_t ins = groups && groups.size() == 2 ? groups[0] : -1,
                       outs = groups && groups.size() == 2 ? groups[1] : -1;
    const bool grouped = ins >= 0 || outs >= 0;
    const auto first = static_cast<unsigned>(std::clamp<std::int64_t>(ins, 0, op->getNumOperands()));
    if (ins >= 0) text += " ins(" + operand_text(op->getOperands().take_front(first), " : ") + ")";
    if (outs >= 0) text += " outs(" + operand_text(op->getOperands().drop_front(first), " : ") + ")";
    const std::string attributes = left.empty() ? "" : " " + shown(left.getDictionary(op->getContext()));
    if (!grouped && op->getNumOperands())
      text += " " + operand_text(op->getOperands(), attributes + " : (") + ")";
    else
      text += attributes;
    std::string results;
    for (mlir::Type t : op->getResultTypes()) results += (results.empty() ? "" : ", ") + shown(t);
    return results.empty() ? text : text + " -> (" + results + ")";
  }

  /// The MLIR text of the operation. It is printed inside a temporary function, and the names of that function's
  /// arguments are replaced by the names used here.
  std::string mlir_text(Operation* op) {
    mlir::OpBuilder builder(op->getContext());
    mlir::OwningOpRef<mlir::func::FuncOp> function = mlir::func::FuncOp::create(
        op->getLoc(), "f", builder.getFunctionType(llvm::SmallVector<mlir::Type>(op->getOperandTypes()), {}));
    mlir::Block* entry = function->addEntryBlock();
    Operation* copy = op->clone();
    entry->push_back(copy);
    for (mlir::OpOperand& o : copy->getOpOperands()) o.set(entry->getArgument(o.getOperandNumber()));
    std::string text;
    llvm::raw_string_ostream stream(text);
    copy->print(stream, mlir::OpPrintingFlags().useLocalScope().assumeVerified());
    if (op->getNumResults() > 0) text.erase(0, text.find(" = ") + 3);
    return with_names(op, text.substr(is_pto(op) ? 4 : 0));
  }
  std::string with_names(Operation* op, StringRef text) {
    std::string out;
    for (bool in_string = false; !text.empty();) {
      if (text.front() == '"') in_string = !in_string;
      if (in_string && text.front() == '\\' && text.size() > 1) out += text.front(), text = text.drop_front();
      unsigned number = 0;
      StringRef rest = text;
      const bool name = !in_string && rest.consume_front("%arg") && !rest.consumeInteger(10, number);
      if (name && number < op->getNumOperands()) {
        out += names_.of(op->getOperand(number));
        text = rest;
      } else {
        out += text.front();
        text = text.drop_front();
      }
    }
    return out;
  }

  Diagnostics& out_;
  ValueNames names_;
  std::string text_;
  bool failed_ = false;
};

}  // namespace

std::string to_statements(const Module& module, Diagnostics& out) { return Printer(out).run(module.op.get()); }

}  // namespace ptox::assembly
