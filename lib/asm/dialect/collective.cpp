// SPDX-License-Identifier: Apache-2.0
#include "asm/dialect/collective.hpp"

namespace ptox::assembly {

using mlir::Operation;
using mlir::Value;
using pto::instr::known;
using pto::instr::unknown;

namespace {

constexpr const char* mnemonics[] = {"tscatter", "tgather", "tbroadcast", "treduce"};

const char* mnemonic_of(Operation* op) {
  for (const char* m : mnemonics)
    if (base_name(op) == m) return m;
  return nullptr;
}

}  // namespace

std::optional<Collective> collective_of(Operation* op) {
  if (!mnemonic_of(op) || op->getNumOperands() < 2 || !is_group(op->getOperand(0).getType())) return std::nullopt;
  Collective c{op->getOperand(0), op->getOperand(1), {}};
  c.staging.append(op->operand_begin() + 2, op->operand_end());
  return c;
}

Operation* maker_of(Value group) {
  Operation* op = group.getDefiningOp();
  return op && base_name(op) == "make_group" && op->getNumOperands() > 0 ? op : nullptr;
}

std::int64_t root_of(Operation* make_group) {
  const auto root = make_group->getAttrOfType<mlir::IntegerAttr>("root");
  return root ? root.getInt() : 0;
}

int reduce_op_of(Operation* op) {
  const PtoAttr attribute = policy_attr(op, "reduce_op");
  return attribute ? attribute.index() : 0;
}

GroupOperands describe_group(Operation* op, const Collective& c) {
  GroupOperands o{mnemonic_of(op), "src"};
  o.spreads = base_name(op) == "tscatter" || base_name(op) == "tgather";
  o.writes_group = base_name(op) == "tscatter" || base_name(op) == "tbroadcast";
  if (!o.writes_group) o.name = "dst";
  o.ranks = spec_of(c.group.getType())->ranks;
  o.own = describe_tensor(c.tensor);
  if (Operation* maker = maker_of(c.group); maker && !has_schematic(maker)) {
    o.root = root_of(maker);
    for (Value v : maker->getOperands()) o.tensors.push_back(describe_tensor(v));
  }
  for (Value v : c.staging) o.staging.push_back(describe_tile(v));
  if (const auto types = op->getAttrOfType<mlir::ArrayAttr>(staging_attribute))
    for (mlir::Attribute a : types) o.staging.push_back(spec_of(mlir::cast<mlir::TypeAttr>(a).getValue())->tile);
  return o;
}

TensorDesc rank_tensor(Operation* op, const Collective& c) {
  const GroupOperands o = describe_group(op, c);
  if (!o.tensors.empty()) return o.tensors[0];
  TensorDesc t = o.own;
  if (o.spreads && known(t.shape[3])) t.shape[3] = o.ranks > 0 ? t.shape[3] / o.ranks : unknown;
  return t;
}

}  // namespace ptox::assembly
