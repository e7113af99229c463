// SPDX-License-Identifier: Apache-2.0
// Prints loops, branches, sections and calls in C++.
#include "asm/cpp/print_cpp.hpp"

namespace ptox::assembly::cpp {

using llvm::StringRef;
using mlir::Operation;
using mlir::Value;

namespace {

bool is_terminator(Operation& op) {
  const StringRef name = op.getName().getStringRef();
  return name == "scf.yield" || name == "scf.condition" || name == "func.return";
}
/// The terminator of a region with one block.
Operation* end_of(mlir::Region& region) { return &region.front().back(); }

}  // namespace

void Body::print_block(mlir::Block& block) {
  for (Operation& op : block)
    if (!is_terminator(op)) print(&op);
}

std::vector<Value> Body::carry(Operation* op, mlir::ValueRange arguments, mlir::ValueRange first) {
  std::vector<Value> variables;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Value variable = arguments[static_cast<unsigned>(i)];
    const std::string type = type_of(op, variable);
    std::string init = "{}";
    if (!first.empty()) {
      const Value from = first[static_cast<unsigned>(i)];
      if (type_of(op, from) != type)
        refuse(op, "a view changes its type on the way: " + type + " here, " + type_of(op, from) + " before");
      init = " = " + use(op, from);
    }
    line(type + " " + declare(variable, "carried") + init + ";");
    if (is_tensor(variable.getType())) adopt_view(variable, texts_[variable]);
    variables.push_back(variable);
  }
  return variables;
}

void Body::name_results(Operation* op, llvm::ArrayRef<Value> variables) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Value result = op->getResult(static_cast<unsigned>(i));
    const std::string name = texts_[variables[i]];
    texts_[result] = name;
    if (is_tensor(result.getType())) adopt_view(result, name);
  }
}

void Body::assign(Operation* op, mlir::ValueRange targets, mlir::ValueRange values) {
  std::vector<std::string> from;
  for (Value v : values) from.push_back(use(op, v));
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Value target = targets[static_cast<unsigned>(i)];
    const std::string type = type_of(op, target), given = type_of(op, values[static_cast<unsigned>(i)]);
    if (type != given) refuse(op, "a view changes its type on the way: " + given + " becomes " + type);
    bool overwritten = false;  // the source is a target of an earlier assignment
    for (std::size_t j = 0; j < i; ++j) overwritten |= use(op, targets[static_cast<unsigned>(j)]) == from[i];
    if (!overwritten) continue;
    const std::string next = names_.take("next_" + use(op, target));
    line((type.ends_with("*") ? "" : "const ") + type + " " + next + " = " + from[i] + ";");
    from[i] = next;
  }
  for (std::size_t i = 0; i < from.size(); ++i)
    if (const std::string to = use(op, targets[static_cast<unsigned>(i)]); to != from[i])
      line(to + " = " + from[i] + ";");
}

void Body::print_for(Operation* op) {
  mlir::Block& body = op->getRegion(0).front();
  const auto carried = carry(op, body.getArguments().drop_front(), op->getOperands().drop_front(3));
  const Value counter = body.getArgument(0);
  const std::string type = type_of(op, counter), first = use(op, op->getOperand(0)), i = declare(counter, "i");
  const bool by_one = constant_of(op->getOperand(2)) == 1;
  const std::string step = by_one ? "++" + i : i + " += " + use(op, op->getOperand(2));
  braces("for (" + type + " " + i + " = " + first + "; " + i + " < " + use(op, op->getOperand(1)) + "; " + step + ")",
         body, [&] { assign(op, carried, end_of(op->getRegion(0))->getOperands()); });
  name_results(op, carried);
}

void Body::print_if(Operation* op) {
  const auto results = carry(op, op->getResults(), {});
  mlir::Region &then = op->getRegion(0), &otherwise = op->getRegion(1);
  const auto yield = [&](mlir::Region& region) {
    if (!results.empty()) assign(op, results, end_of(region)->getOperands());
  };
  const std::string head = "if (" + use(op, op->getOperand(0)) + ")";
  if (otherwise.empty()) return braces(head, then.front(), [&] { yield(then); });
  braces(head, then.front(), [&] { yield(then); }, false);
  braces("} else", otherwise.front(), [&] { yield(otherwise); });
}

// The arguments of the first block (`before`) become variables, and so do the arguments of the second block (`after`),
// which are also the results of the loop.
void Body::print_while(Operation* op) {
  mlir::Region &before = op->getRegion(0), &after = op->getRegion(1);
  const auto asked = carry(op, before.front().getArguments(), op->getOperands());
  const auto handed = carry(op, after.front().getArguments(), {});
  braces("while (true)", before.front(), [&] {
    Operation* condition = end_of(before);
    assign(op, handed, condition->getOperands().drop_front());
    line("if (!" + use(op, condition->getOperand(0)) + ") break;");
    print_block(after.front());
    assign(op, asked, end_of(after)->getOperands());
  });
  name_results(op, handed);
}

void Body::print_call(Operation* op) {
  const std::string callee = op->getAttrOfType<mlir::FlatSymbolRefAttr>("callee").getValue().str();
  const auto at = functions_.operations.find(callee);
  if (at == functions_.operations.end()) refuse(op, "there is no function '" + callee + "'");
  mlir::Block& body = at->second->getRegion(0).front();
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (const std::string given = type_of(op, op->getOperand(i)), type = type_of(op, body.getArgument(i));
        given != type)
      refuse(op, "'" + callee + "' takes a " + type + "; it is given a " + given);
  const std::string call = functions_.names.at(callee) + "(" + list(op, op->getOperands()) + ");";
  if (op->use_empty()) return line(call);
  if (op->getNumResults() == 1)
    return line("const " + type_of(op, op->getResult(0)) + " " + declare(op->getResult(0)) + " = " + call);
  std::string names;
  for (Value v : op->getResults()) names += (names.empty() ? "" : ", ") + declare(v);
  line("const auto [" + names + "] = " + call);
}

void Body::print_return(Operation* op) {
  if (op->getNumOperands() == 0) return;
  const std::string values = list(op, op->getOperands());
  line(op->getNumOperands() == 1 ? "return " + values + ";" : "return {" + values + "};");
}

bool Body::print_flow(Operation* op) {
  const StringRef name = op->getName().getStringRef();
  if (name == "scf.for")
    print_for(op);
  else if (name == "scf.if")
    print_if(op);
  else if (name == "scf.while")
    print_while(op);
  else if (name == "func.call")
    print_call(op);
  else if (name == "pto.section.vector" || name == "pto.section.cube") {
    if (name == "pto.section.cube") line("// For cube cores.");
    braces("", op->getRegion(0).front(), [] {});
  } else
    return false;
  return true;
}

}  // namespace ptox::assembly::cpp
