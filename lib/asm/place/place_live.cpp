// SPDX-License-Identifier: Apache-2.0
#include "asm/place/place_live.hpp"

#include <algorithm>

#include "asm/level/place_roots.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace ptox::assembly {

using mlir::Operation;
using mlir::Value;

Order::Order(mlir::func::FuncOp function) {
  function.walk<mlir::WalkOrder::PreOrder>([&](Operation* op) { extents_[op].first = ++count_; });
  function.walk<mlir::WalkOrder::PostOrder>([&](Operation* op) {
    Live& mine = extents_[op];
    mine.last = std::max(mine.last, mine.first);
    if (Operation* parent = op->getParentOp(); parent && op != function)
      extents_[parent].last = std::max(extents_[parent].last, mine.last);
  });
}

Live Order::use(Operation* user, Value tile) const {
  Operation* widest = user;
  const bool hands_on =
      mlir::isa<mlir::LoopLikeOpInterface>(user->getParentOp()) && user->hasTrait<mlir::OpTrait::IsTerminator>();
  if (hands_on) widest = user->getParentOp();
  mlir::Region* home = tile.getParentRegion();
  for (Operation* p = user->getParentOp(); p && extents_.contains(p) && !p->isAncestor(home->getParentOp());
       p = p->getParentOp())
    if (mlir::isa<mlir::LoopLikeOpInterface>(p)) widest = p;
  return extent(widest);
}

namespace {

/// Whether a use passes the tile to an operation that is not tracked; the tile is then live in the whole function.
bool loses_track(Operation* user) {
  if (is_pto(user) || mlir::isa<mlir::scf::ForOp>(user)) return false;
  if (mlir::isa<mlir::scf::YieldOp>(user)) return !mlir::isa<mlir::scf::ForOp, mlir::scf::IfOp>(user->getParentOp());
  return !mlir::isa<mlir::func::CallOp>(user) || user->getNumResults() > 0;
}

}  // namespace

Live Order::live(Value tile) const {
  Live live{count_ + 1, 0};
  for (const Value v : values_of(tile))
    for (Operation* user : v.getUsers()) {
      if (loses_track(user)) return all();
      const Live u = use(user, tile);
      live.first = std::min(live.first, u.first), live.last = std::max(live.last, u.last);
    }
  if (live.last > 0) return live;
  Operation* made_by = tile.getDefiningOp();
  return made_by ? extent(made_by) : all();
}

std::optional<std::int64_t> Order::assigned_first(Operation* alloc) const {
  Operation* first = nullptr;
  for (const Value v : values_of(alloc->getResult(0)))
    for (Operation* user : v.getUsers())
      if (!first || extent(user).first < extent(first).first) first = user;
  if (!first || base_name(first) != "tassign" || first->getBlock() != alloc->getBlock()) return std::nullopt;
  const auto offset = first->getAttrOfType<mlir::IntegerAttr>("offset");
  return offset ? std::optional(offset.getInt()) : constant_of(first->getOperand(1));
}

}  // namespace ptox::assembly
