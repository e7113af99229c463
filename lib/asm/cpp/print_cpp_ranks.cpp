// SPDX-License-Identifier: Apache-2.0
// Prints groups of ranks and their collectives in C++.
#include "asm/cpp/print_cpp.hpp"
#include "asm/dialect/collective.hpp"

namespace ptox::assembly::cpp {

using llvm::StringRef;
using mlir::Operation;
using mlir::Value;

/// Prints the tensors of all ranks: each at the symmetric address of the given tensor.
void Body::spread(Operation* op, const std::string& type, const std::string& tensors) {
  const Value view = op->getOperand(0);
  const auto known = views_.find(view);
  if (known == views_.end()) refuse(op, "its tensor is not a view that has a name in C++");
  const std::string rank = names_.take("rank"), ranks = std::to_string(spec_of(op->getResult(0).getType())->ranks);
  line(type + " " + tensors + "[" + ranks + "];");
  line("for (int " + rank + " = 0; " + rank + " < " + ranks + "; ++" + rank + ")");
  line("  " + tensors + "[" + rank + "] = " + type + "(comm::at_rank(" + use(op, view) + ".data(), " + rank + ")" +
       open_extents(known->second) + ");");
}

void Body::print_group(Operation* op) {
  if (op->getNumOperands() == 0) refuse(op, "a group without ranks has no C++ type");
  const std::string type = type_of(op, op->getOperand(0));
  for (Value v : op->getOperands())
    if (type_of(op, v) != type)
      refuse(op, "the tensors of a group have one type; there are " + type + " and " + type_of(op, v));
  const std::int64_t ranks = spec_of(op->getResult(0).getType())->ranks;
  const std::string name = declare(op->getResult(0), "group"), tensors = names_.take(name + "_tensors");
  if (op->getNumOperands() == 1 && ranks > 1)
    spread(op, type, tensors);
  else
    line(type + " " + tensors + "[] = {" + list(op, op->getOperands()) + "};");
  line("comm::ParallelGroup<" + type + "> " + name + "(" + tensors + ", " + std::to_string(ranks) + ", " +
       number(root_of(op)) + ");");
}

void Body::print_at_rank(Operation* op) {
  const Value from = op->getOperand(0), result = op->getResult(0);
  const std::string rank = use(op, op->getOperand(1)), type = type_of(op, result);
  if (!is_tensor(from.getType())) {
    const std::string address = use(op, from);
    return line(type + " " + declare(result, "there") + " = comm::at_rank(" + address + ", " + rank + ");");
  }
  const auto known = views_.find(from);
  if (known == views_.end()) refuse(op, "its tensor is not a view that has a name in C++");
  View v = known->second;
  const std::string address = "comm::at_rank(" + use(op, from) + ".data(), " + rank + ")";
  const std::string name = declare(result, "there");
  line(type + " " + name + "(" + address + open_extents(v) + ");");
  v.base = name + ".data()", v.offset.clear();
  views_[result] = v;
}

/// Prints a collective. Its group has to be created in the same function.
void Body::print_collective(Operation* op) {
  const Collective c = *collective_of(op);
  if (c.staging.empty()) refuse(op, "in C++ it takes staging tiles after the tensor");
  if (!maker_of(c.group)) refuse(op, "its group is not made in this function");
  std::string operands = list(op, op->getOperands());
  constexpr const char* ops[] = {"Sum", "Max", "Min"};
  if (base_name(op) == "treduce") operands += std::string(", comm::ReduceOp::") + ops[reduce_op_of(op)];
  line("if (comm::is_root(" + use(op, c.group) + ")) comm::" + base_name(op).upper() + "(" + operands + ");");
}

bool Body::print_ranks(Operation* op) {
  const StringRef base = base_name(op);
  if (base == "make_group")
    print_group(op);
  else if (base == "at_rank")
    print_at_rank(op);
  else if (base == "get_rank" || base == "get_rank_num")
    line("const " + type_of(op, op->getResult(0)) + " " + declare(op->getResult(0)) + " = comm::" + base.str() + "();");
  else if (collective_of(op))
    print_collective(op);
  else
    return false;
  return true;
}

}  // namespace ptox::assembly::cpp
