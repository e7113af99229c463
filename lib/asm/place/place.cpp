// SPDX-License-Identifier: Apache-2.0
// Assigns an address to each tile of a kernel.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "asm/dialect/operands.hpp"
#include "asm/level/level.hpp"
#include "asm/level/place_roots.hpp"
#include "asm/place/place_live.hpp"
#include "engine/core/budget.hpp"
#include "engine/memory/tile_text.hpp"
#include "engine/report/hex.hpp"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

using mlir::Operation;
using mlir::Value;

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;  // upper bound of a tile's size, larger than every buffer

struct Placed {
  Operation* alloc;  ///< null: bytes reserved by an address in the file, or by callers
  TileDesc tile;
  Live live;
  std::int64_t begin = -1;
  std::int64_t end() const { return begin + tile.bytes(); }
};

/// The end of the bytes that tiles may use: in UB the largest budget that a launch can request, otherwise the whole
/// buffer.
std::int64_t limit_of(const Target& t, pto::TileType loc) {
  const auto all = static_cast<std::int64_t>(space_bytes(t, space_of(loc)));
  const auto budget = static_cast<std::int64_t>(t.most_budget);
  return loc == pto::TileType::Vec && budget ? std::min(all, budget) : all;
}

std::string tile_name(Operation* alloc) {
  const std::string name = alloc ? name_of(alloc->getResult(0)) : "";
  return name.empty() ? "a tile" : "%" + name;
}

/// The end of the last tile in each buffer, in bytes.
using Reach = std::map<pto::TileType, std::int64_t>;

class Placer {
 public:
  /// `floor`: bytes at the start of each buffer that callers use.
  Placer(mlir::func::FuncOp function, const Reach& floor, const Target& target, Diagnostics& out)
      : function_(function), order_(function), target_(target), out_(out) {
    for (const auto& [loc, bytes] : floor)
      held_.push_back({nullptr, {.dtype = DType::u8, .loc = loc, .rows = 1, .cols = bytes}, order_.all(), 0});
  }

  bool run() {
    if (!collect()) return false;
    const bool flags = function_
                           .walk([](Operation* op) {
                             return base_name(op) == "set_flag" || base_name(op) == "record_event"
                                        ? mlir::WalkResult::interrupt()
                                        : mlir::WalkResult::advance();
                           })
                           .wasInterrupted();
    // Hand-written flags do not order tiles that share bytes, so tiles share bytes only if they do not fit otherwise.
    if (!(flags && place(false)) && !place(true)) return false;
    for (const Placed& p : tiles_)
      if (p.alloc) write(p);
    return true;
  }
  Reach reach() const {
    Reach all;
    for (const Placed& p : placed_) all[p.tile.loc] = std::max(all[p.tile.loc], block_aligned(p.end()));
    return all;
  }

 private:
  bool collect() {
    bool ok = true;
    function_.walk<mlir::WalkOrder::PreOrder>([&](Operation* op) {
      if (base_name(op) == "alloc_tile" && !is_schematic(op->getResult(0).getType())) ok = take(op) && ok;
      if (base_name(op) == "tassign" && !is_schematic(op->getOperand(0).getType())) hold(op->getOperand(0));
    });
    return ok;
  }
  bool take(Operation* alloc) {
    const Value tile = alloc->getResult(0);
    const TileDesc t = describe_tile(tile);
    if (const std::int64_t n = pto::instr::checked_product(t.rows, t.cols, pto::instr::size_of(t.dtype));
        n < 0 || n > most_bytes) {
      out_.error("alloc_tile: " + tile_name(alloc) + " has " + std::to_string(t.rows) + " rows of " +
                     std::to_string(t.cols) + "; no buffer holds more than " + std::to_string(most_bytes) + " bytes",
                 place_of(alloc->getLoc()));
      return false;
    }
    if (alloc_operand(alloc, "addr")) return hold(tile), true;
    const auto assigned = order_.assigned_first(alloc);
    const Placed fresh{alloc, t, order_.live(tile), assigned.value_or(-1)};
    const auto later = [](const Placed& a, const Placed& b) { return a.live.first < b.live.first; };
    tiles_.insert(std::upper_bound(tiles_.begin(), tiles_.end(), fresh, later), fresh);
    return true;
  }
  /// Reserves the bytes of a tile with a hand-written address for the whole function.
  void hold(Value tile) {
    for (std::int64_t at : places_of(tile).offsets) held_.push_back({nullptr, describe_tile(tile), order_.all(), at});
  }

  bool place(bool share) {
    placed_.assign(held_.begin(), held_.end());
    for (Placed& p : tiles_) {
      const auto given = p.alloc ? order_.assigned_first(p.alloc) : std::nullopt;
      p.begin = given ? *given : hole(p, share);
      if (p.begin < 0 && !share) return false;
      if (p.begin < 0) return refuse(p), false;
      if (!given) placed_.push_back(p);
    }
    return true;
  }

  /// The placed tiles that `p` must not overlap, sorted by offset. Without `share`, these are all tiles of the buffer.
  std::vector<const Placed*> others(const Placed& p, bool share) const {
    std::vector<const Placed*> some;
    for (const Placed& o : placed_)
      if (space_of(o.tile.loc) == space_of(p.tile.loc) && (!share || o.live.meets(p.live))) some.push_back(&o);
    std::sort(some.begin(), some.end(), [](const Placed* a, const Placed* b) { return a->begin < b->begin; });
    return some;
  }
  /// The lowest gap that is large enough for `p`; -1 if there is none.
  std::int64_t hole(const Placed& p, bool share) const {
    std::int64_t at = 0;
    for (const Placed* o : others(p, share)) {
      if (o->begin - at >= p.tile.bytes()) break;
      at = std::max(at, block_aligned(o->end()));
    }
    return at <= limit_of(target_, p.tile.loc) - p.tile.bytes() ? at : -1;
  }
  std::int64_t largest_hole(const Placed& p) const {
    std::int64_t at = 0, most = 0;
    for (const Placed* o : others(p, true)) {
      most = std::max(most, o->begin - at);
      at = std::max(at, block_aligned(o->end()));
    }
    return std::max(most, limit_of(target_, p.tile.loc) - at);
  }

  void refuse(const Placed& p) {
    const auto there = others(p, true);
    std::int64_t used = 0;
    const Placed* largest = nullptr;
    for (const Placed* o : there) {
      used = std::max(used, o->end());
      if (!largest || o->tile.bytes() > largest->tile.bytes()) largest = o;
    }
    std::string text = "alloc_tile: there is no room for " + tile_name(p.alloc) + ", " + size_text(p.tile) + ", in " +
                       space_name(p.tile.loc) + "; tiles that live at the same time reach byte " +
                       std::to_string(used) + ", the limit is " + std::to_string(limit_of(target_, p.tile.loc));
    if (largest)
      text += ", the largest is " + owner(*largest) + " of " + std::to_string(largest->tile.bytes()) + " bytes";
    out_.error(text + "; " + rows_that_fit(p.tile, largest_hole(p)), place_of(p.alloc->getLoc()));
    for (const Placed* o : there)
      out_.add(Severity::note, hex(o->begin) + "-" + hex(o->end()) + " " + owner(*o) + " " + type(o->tile) + line(*o),
               place_of(o->alloc ? o->alloc->getLoc() : p.alloc->getLoc()));
  }
  static std::string owner(const Placed& o) { return o.alloc ? tile_name(o.alloc) : "a place by hand"; }
  static std::string type(const TileDesc& t) {
    return std::string(dtype_text(t.dtype)) + " " + std::to_string(t.rows) + "x" + std::to_string(t.cols);
  }
  static std::string line(const Placed& o) {
    return o.alloc ? " at line " + std::to_string(place_of(o.alloc->getLoc()).line) : "";
  }

  static void write(const Placed& p) {
    Operation* old = p.alloc;
    mlir::OpBuilder builder(old);
    const Value addr =
        builder.create<mlir::arith::ConstantOp>(builder.getUnknownLoc(), builder.getI64IntegerAttr(p.begin));
    mlir::OperationState state(old->getLoc(), "pto.alloc_tile");
    set_alloc_operands(state, addr, alloc_operand(old, "valid_row"), alloc_operand(old, "valid_col"));
    state.addTypes(old->getResultTypes());
    for (const mlir::NamedAttribute a : old->getAttrs())
      if (a.getName() != "operands") state.addAttribute(a.getName(), a.getValue());
    old->replaceAllUsesWith(builder.create(state));
    old->erase();
  }

  mlir::func::FuncOp function_;
  Order order_;
  const Target& target_;
  Diagnostics& out_;
  std::vector<Placed> tiles_, held_, placed_;
};

/// The functions of a module, callers before callees. The order within a recursive cycle is arbitrary.
std::vector<mlir::func::FuncOp> callers_first(mlir::ModuleOp module) {
  std::vector<mlir::func::FuncOp> order;
  std::set<Operation*> seen;
  const std::function<void(mlir::func::FuncOp)> visit = [&](mlir::func::FuncOp function) {
    if (function.isExternal() || !seen.insert(function).second) return;
    function.walk([&](mlir::func::CallOp call) {
      if (auto callee = module.lookupSymbol<mlir::func::FuncOp>(call.getCallee())) visit(callee);
    });
    order.insert(order.begin(), function);
  };
  for (auto function : module.getOps<mlir::func::FuncOp>()) visit(function);
  return order;
}

}  // namespace

bool place_tiles(Module& module, const Target& target, Diagnostics& out) {
  bool ok = true;
  std::map<Operation*, Reach> floors;
  for (mlir::func::FuncOp function : callers_first(*module.op)) {
    if (schematic_inside(function)) continue;
    Placer placer(function, floors[function], target, out);
    ok = placer.run() && ok;
    function.walk([&](mlir::func::CallOp call) {
      Operation* callee = module.op->lookupSymbol(call.getCallee());
      for (const auto& [loc, bytes] : placer.reach()) {
        std::int64_t& floor = floors[callee][loc];
        floor = std::max(floor, bytes);
      }
    });
  }
  return ok;
}

}  // namespace ptox::assembly
