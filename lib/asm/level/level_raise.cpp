// SPDX-License-Identifier: Apache-2.0
// Converts tiles in buffers (Level 2) to tiles as values (Level 1).
#include <set>

#include "asm/dialect/collective.hpp"
#include "asm/level/level.hpp"
#include "asm/level/level_types.hpp"
#include "asm/level/place_roots.hpp"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

namespace ptox::assembly {

using mlir::Operation;
using mlir::Value;
using Kind = TypeSpec::Kind;

namespace {

/// The content of a buffer at a program point: an SSA value, or null if no single value represents it.
struct Content {
  Value value;
  Operation* lost = nullptr;  ///< the operation in whose region the buffer was written
  bool carried = false;       ///< it was written by an earlier iteration of that loop
};

class Raising {
 public:
  Raising(mlir::func::FuncOp function, Diagnostics& out) : function_(function), out_(out) {}

  bool run() {
    Contents contents;
    if (!block(function_.getBody().front(), contents)) return false;
    for (Operation* op : dead_) erase(op);
    convert_types(function_, Kind::tile);
    return true;
  }

 private:
  using Contents = std::map<void*, Content>;

  bool error(Operation* op, const std::string& message) {
    out_.error(message, place_of(op->getLoc()));
    return false;
  }
  static std::string line_of(Operation* op) { return "line " + std::to_string(place_of(op->getLoc()).line); }
  static std::string base_of(Operation* op) {
    return is_pto(op) ? base_name(op).str() : op->getName().getStringRef().str();
  }

  /// Whether `v` is an argument of the function (and not of a nested block).
  bool is_argument(Value v) { return v.getParentBlock() == &function_.getBody().front() && !v.getDefiningOp(); }

  bool block(mlir::Block& b, Contents& contents) {
    for (Operation& op : llvm::make_early_inc_range(b))
      if (!step(&op, contents)) return false;
    return true;
  }

  bool step(Operation* op, Contents& contents) {
    const llvm::StringRef base = base_name(op);
    if (base == "alloc_tile") return made(op), true;
    if (base == "tassign" && !is_argument(op->getOperand(0))) return assigned(op), true;
    if (base == "tassign")
      return error(op, "tassign: " + tile_text_of(op->getOperand(0)) +
                           " is an argument, and a value has no place. Keep it at Level 2");
    if (base == "set_validshape")
      return error(op, "set_validshape: a value has the extents of its type; " + tile_text_of(op->getOperand(0)) +
                           " gets others here. Keep it at Level 2");
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) return for_loop(loop, contents);
    if (op->getNumRegions() > 0) return regions(op, contents);
    if (op->hasAttr(carry)) return carried_on(op, contents);
    if (const auto collective = collective_of(op)) return staged(op, *collective, contents);
    if (const auto fields = fields_of(op)) return instruction(op, *fields, contents);
    return operands(op, 0, op->getNumOperands(), contents);
  }

  void made(Operation* alloc) {
    if (const Value addr = alloc_operand(alloc, "addr")) {
      if (const auto at = constant_of(addr))
        addr_[alloc->getResult(0).getAsOpaquePointer()] = *at;
      else
        dropped(alloc, alloc->getResult(0));
    }
    dead_.push_back(alloc);
  }
  void assigned(Operation* op) {
    const auto offset = op->getAttrOfType<mlir::IntegerAttr>("offset");
    const auto at = offset ? std::optional(offset.getInt()) : constant_of(op->getOperand(1));
    if (at)
      addr_[op->getOperand(0).getAsOpaquePointer()] = *at;
    else
      dropped(op, op->getOperand(0));
    dead_.insert(dead_.begin(), op);
  }
  void dropped(Operation* op, Value tile) {
    out_.add(Severity::note,
             base_of(op) + ": the place of " + tile_text_of(tile) +
                 " is no constant; Level 1 does not say it, and Level 2 chooses another",
             place_of(op->getLoc()));
  }

  /// The value in a buffer that `reader` reads. Null after adding an error.
  Value read(Operation* reader, Value buffer, const Contents& contents) {
    const auto it = contents.find(buffer.getAsOpaquePointer());
    if (it != contents.end() && it->second.value) return it->second.value;
    const std::string who = base_of(reader) + ": " + tile_text_of(buffer);
    if (it != contents.end() && it->second.carried)
      error(reader, who + " is read before it is written in the scf.for of " + line_of(it->second.lost) +
                        ", so that it holds what an earlier iteration left. A value goes from one iteration to the "
                        "next through iter_args");
    else if (it != contents.end())
      error(reader, who + " is written in the " + base_of(it->second.lost) + " of " + line_of(it->second.lost) +
                        " and read outside it. A value leaves a region as its result");
    else if (mlir::isa<mlir::BlockArgument>(buffer) || base_name(buffer.getDefiningOp()) != "alloc_tile")
      return buffer;
    else
      error(reader, who + " is read and nothing has written it. A value is what an instruction results in");
    return {};
  }
  bool operands(Operation* op, unsigned begin, unsigned end, const Contents& contents) {
    for (unsigned i = begin; i < end; ++i) {
      if (!is_tile(op->getOperand(i).getType())) continue;
      const Value v = read(op, op->getOperand(i), contents);
      if (!v) return false;
      op->setOperand(i, v);
    }
    return true;
  }

  bool instruction(Operation* op, const Fields& fields, Contents& contents) {
    const bool writes_tile = fields.form->operands[0].tile && op->getNumResults() == 0 &&
                             fields.form->operands[0].role != pto::instr::Role::scratch;
    const unsigned inputs = op->getNumOperands() - (writes_tile ? 1 : 0);
    const Value buffer = writes_tile ? op->getOperand(inputs) : Value();
    if (!operands(op, 0, inputs, contents)) return false;
    if (!writes_tile) return true;
    if (is_argument(buffer))
      return error(op, base_of(op) + " writes " + tile_text_of(buffer) +
                           ", which is an argument. A function cannot write a value that it takes as an argument: keep "
                           "it at Level 2");
    if (fields.form->operands[0].role == pto::instr::Role::inout && contents.contains(buffer.getAsOpaquePointer()))
      return error(op, base_of(op) + " writes " + tile_text_of(buffer) +
                           " in part, over what it held before. A value is written as a whole: use a tile that is "
                           "written here first, or keep it at Level 2");
    contents[buffer.getAsOpaquePointer()] = {raised(op, buffer, inputs)};
    return true;
  }
  Value raised(Operation* op, Value buffer, unsigned inputs) {
    mlir::OpBuilder builder(op);
    const std::string name = name_of(buffer);
    const mlir::Location loc = name.empty() ? op->getLoc() : named(op->getLoc(), name);
    Operation* fresh = create_op(builder, loc, base_name(op), with_kind(buffer.getType(), Kind::tile),
                                 llvm::SmallVector<Value>(op->getOperands().take_front(inputs)), op->getAttrs());
    if (const auto at = addr_.find(buffer.getAsOpaquePointer()); at != addr_.end())
      fresh->setAttr(kept_addr, builder.getI64IntegerAttr(at->second));
    op->erase();
    return fresh->getResult(0);
  }
  /// Values cannot be staging tiles. The types of the staging tiles are kept in an attribute of the collective, from
  /// which Level 2 creates the tiles again.
  bool staged(Operation* op, const Collective& c, Contents& contents) {
    llvm::SmallVector<mlir::Attribute> types;
    for (Value tile : c.staging) {
      Operation* alloc = tile.getDefiningOp();
      if (!alloc || base_name(alloc) != "alloc_tile") return operands(op, 0, op->getNumOperands(), contents);
      const TileDesc t = describe_tile(tile);
      for (const auto& [name, padded] : {std::pair("valid_row", t.rows), std::pair("valid_col", t.cols)})
        if (const Value v = alloc_operand(alloc, name); v && constant_of(v) != padded)
          return error(op, base_of(op) + ": the staging tile " + tile_text_of(tile) + " has a " + name +
                               " of its own, which a type does not say. Keep it at Level 2");
      contents[tile.getAsOpaquePointer()] = {{}, op};
      types.push_back(mlir::TypeAttr::get(tile.getType()));
    }
    if (types.empty()) return true;
    op->setAttr(staging_attribute, mlir::ArrayAttr::get(op->getContext(), types));
    op->setOperands(llvm::SmallVector<Value>(op->getOperands().take_front(2)));
    return true;
  }
  bool carried_on(Operation* op, Contents& contents) {
    const Value from = read(op, op->getOperand(0), contents);
    if (!from) return false;
    contents[op->getOperand(1).getAsOpaquePointer()] = {from};
    op->erase();
    return true;
  }

  /// The buffers defined outside `region` that operations inside it write.
  static std::set<void*> written_in(Operation* region) {
    std::set<void*> all;
    region->walk([&](Operation* op) {
      const auto fields = fields_of(op);
      if (!fields || !fields->form->operands[0].tile || op->getNumResults() > 0) return;
      for (Value root : tiles_behind(fields->values[0]))
        if (!region->isAncestor(root.getParentBlock()->getParentOp())) all.insert(root.getAsOpaquePointer());
    });
    return all;
  }
  static void lose(const std::set<void*>& buffers, Operation* region, bool carried, Contents& contents) {
    for (void* b : buffers) contents[b] = {{}, region, carried};
  }

  bool regions(Operation* op, Contents& contents) {
    const std::set<void*> written = written_in(op);
    for (mlir::Region& r : op->getRegions()) {
      Contents inside = contents;
      if (!mlir::isa<mlir::scf::IfOp>(op) && !is_pto(op)) lose(written, op, true, inside);
      if (!r.empty() && !block(r.front(), inside)) return false;
    }
    lose(written, op, false, contents);
    return operands(op, 0, op->getNumOperands(), contents);
  }

  bool for_loop(mlir::scf::ForOp loop, Contents& contents) {
    const auto mark = loop->getAttrOfType<mlir::IntegerAttr>(spares);
    const unsigned all = loop.getNumRegionIterArgs(), first = loop.getNumControlOperands();
    const unsigned kept = mark ? all - std::min<unsigned>(all, static_cast<unsigned>(mark.getInt())) : all;
    std::set<void*> written = written_in(loop);
    for (unsigned i = kept; i < all; ++i) written.erase(loop.getInitArgs()[i].getAsOpaquePointer());
    if (!operands(loop, first, first + kept, contents)) return false;
    Contents inside = contents;
    lose(written, loop, true, inside);
    Operation* yield = loop.getBody()->getTerminator();
    for (Operation& op : llvm::make_early_inc_range(*loop.getBody()))
      if (&op != yield && !step(&op, inside)) return false;
    if (!operands(yield, 0, kept, inside)) return false;
    lose(written, loop, false, contents);
    if (kept < all) shrink(loop, kept);
    return true;
  }
  /// Removes the spare buffers of double buffering from the carried values of the loop.
  void shrink(mlir::scf::ForOp loop, unsigned kept) {
    Operation* yield = loop.getBody()->getTerminator();
    yield->setOperands(llvm::SmallVector<Value>(yield->getOperands().take_front(kept)));
    auto narrow = resized(loop, loop.getInitArgs().take_front(kept));
    narrow->removeAttr(spares);
    loop.erase();
  }

  /// Erases an unused alloc_tile or a tassign, and the constants that only it used.
  void erase(Operation* op) {
    const llvm::SmallVector<Value> had(op->getOperands());
    if (!op->use_empty()) return;
    op->erase();
    for (const Value v : had)
      if (Operation* from = v.getDefiningOp();
          mlir::isa_and_nonnull<mlir::arith::ConstantOp>(from) && from->use_empty())
        from->erase();
  }

  mlir::func::FuncOp function_;
  Diagnostics& out_;
  std::map<void*, std::int64_t> addr_;
  std::vector<Operation*> dead_;
};

}  // namespace

bool to_level1(Module& module, Diagnostics& out) {
  Listener listener(*module.context, out);
  for (auto function : module.op->getOps<mlir::func::FuncOp>()) {
    if (is_schematic(function)) continue;
    if (function.isExternal())
      convert_types(function, Kind::tile);
    else if (!Raising(function, out).run())
      return false;
  }
  return mlir::succeeded(mlir::verify(*module.op));
}

}  // namespace ptox::assembly
