// SPDX-License-Identifier: Apache-2.0
#include "asm/level/place_roots.hpp"

#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ptox::assembly {

using mlir::Value;

namespace {

/// The values that `v` may be equal to, one step back through loops and branches; empty if `v` is not defined by them.
llvm::SmallVector<Value> sources(Value v) {
  if (const auto argument = mlir::dyn_cast<mlir::BlockArgument>(v)) {
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument.getArgNumber() == 0) return {};
    const unsigned i = argument.getArgNumber() - 1;
    return {loop.getInitArgs()[i], loop.getYieldedValues()[i]};
  }
  const unsigned i = mlir::cast<mlir::OpResult>(v).getResultNumber();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(v.getDefiningOp()))
    return {loop.getInitArgs()[i], loop.getYieldedValues()[i]};
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(v.getDefiningOp()))
    return {branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)};
  return {};
}

/// The values that become equal to the used value by this use: loop arguments and results of loops and branches.
llvm::SmallVector<Value> targets(mlir::OpOperand& use) {
  mlir::Operation* op = use.getOwner();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
    if (use.getOperandNumber() < loop.getNumControlOperands()) return {};
    const unsigned i = use.getOperandNumber() - loop.getNumControlOperands();
    return {loop.getRegionIterArgs()[i], loop.getResult(i)};
  }
  if (!mlir::isa<mlir::scf::YieldOp>(op)) return {};
  const unsigned i = use.getOperandNumber();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op->getParentOp()))
    return {loop.getRegionIterArgs()[i], loop.getResult(i)};
  if (mlir::isa<mlir::scf::IfOp>(op->getParentOp())) return {op->getParentOp()->getResult(i)};
  return {};
}

}  // namespace

llvm::SmallVector<Value> tiles_behind(Value tile) {
  llvm::SetVector<Value> seen;
  llvm::SmallVector<Value> roots;
  seen.insert(tile);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto from = sources(seen[i]);
    if (from.empty()) roots.push_back(seen[i]);
    seen.insert(from.begin(), from.end());
  }
  return roots;
}

llvm::SmallVector<Value> values_of(Value tile) {
  llvm::SetVector<Value> seen;
  seen.insert(tile);
  for (std::size_t i = 0; i < seen.size(); ++i)
    for (mlir::OpOperand& use : seen[i].getUses())
      for (const Value v : targets(use)) seen.insert(v);
  return llvm::SmallVector<Value>(seen.begin(), seen.end());
}

namespace {

void add_assigned(Value value, TilePlaces& places) {
  for (mlir::Operation* user : value.getUsers()) {
    if (base_name(user) != "tassign") continue;
    const auto offset = user->getAttrOfType<mlir::IntegerAttr>("offset");
    const auto number = offset ? std::optional(offset.getInt()) : constant_of(user->getOperand(1));
    number ? places.offsets.push_back(*number) : void(places.anywhere = true);
  }
}

}  // namespace

TilePlaces places_of(Value tile) {
  TilePlaces places;
  for (const Value root : tiles_behind(tile)) {
    mlir::Operation* alloc = root.getDefiningOp();
    const std::size_t before = places.offsets.size();
    if (alloc && base_name(alloc) == "alloc_tile")
      if (const Value addr = alloc_operand(alloc, "addr")) {
        const auto number = constant_of(addr);
        number ? places.offsets.push_back(*number) : void(places.anywhere = true);
      }
    for (const Value v : values_of(root)) add_assigned(v, places);
    places.anywhere = places.anywhere || places.offsets.size() == before;
  }
  return places;
}

}  // namespace ptox::assembly
