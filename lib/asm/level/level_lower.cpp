// SPDX-License-Identifier: Apache-2.0
// Converts tiles as values (Level 1) to tiles in buffers (Level 2).
#include "asm/level/level.hpp"
#include "asm/level/level_types.hpp"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

namespace ptox::assembly {

using mlir::Operation;
using mlir::OpFoldResult;
using mlir::Value;
using Kind = TypeSpec::Kind;

namespace {

/// Valid rows and columns; null if unknown.
struct Extents {
  OpFoldResult rows, cols;
};

class LevelLowering {
 public:
  LevelLowering(mlir::func::FuncOp function, Diagnostics& out) : function_(function), out_(out) {}

  bool run() {
    llvm::SmallVector<Operation*> producers;
    llvm::SmallVector<mlir::scf::ForOp> loops;
    function_.walk<mlir::WalkOrder::PreOrder>([&](Operation* op) {
      if (op->getNumResults() == 1 && of_kind(op->getResult(0).getType(), Kind::tile) && fields_of(op))
        producers.push_back(op);
      if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op); loop && carries(loop)) loops.push_back(loop);
    });
    for (mlir::scf::ForOp loop : loops)
      if (!buffers_for(loop)) return false;
    for (Operation* op : producers)
      if (!lower(op)) return false;
    convert_types(function_, Kind::tile_buf);
    return true;
  }

 private:
  bool error(Operation* op, const std::string& message) {
    out_.error(message, place_of(op->getLoc()));
    return false;
  }

  static bool carries(mlir::scf::ForOp loop) {
    return llvm::any_of(loop.getRegionIterArgs(), [](Value v) { return of_kind(v.getType(), Kind::tile); });
  }

  /// A loop-carried tile that the body defines anew is double-buffered, so that the buffer of the previous iteration
  /// can be read while the other is written.
  bool buffers_for(mlir::scf::ForOp loop) {
    const unsigned count = loop.getNumRegionIterArgs();
    llvm::SmallVector<Value> inits(loop.getInitArgs());
    llvm::SmallVector<unsigned> fresh;
    for (unsigned i = 0; i < count; ++i) {
      const Value next = loop.getYieldedValues()[i];
      if (!of_kind(next.getType(), Kind::tile) || !made_in(next, loop) || llvm::is_contained(made(loop, fresh), next))
        continue;
      const auto shape = extents(inits[i]);
      const Value one = alloc(loop, next, shape, {}), two = one ? alloc(loop, next, shape, {}) : Value();
      if (!two) return false;
      fresh.push_back(i);
      inits.push_back(one), inits.push_back(two);
    }
    if (fresh.empty()) return true;
    if (!carried_once(loop, fresh)) return false;
    mlir::scf::ForOp wide = resized(loop, inits);
    hand_on(wide, count, fresh);
    loop.erase();
    wide->setAttr(spares, mlir::IntegerAttr::get(mlir::IntegerType::get(wide.getContext(), 64),
                                                 static_cast<std::int64_t>(2 * fresh.size())));
    return true;
  }
  static bool made_in(Value v, mlir::scf::ForOp loop) {
    Operation* op = v.getDefiningOp();
    return op && loop->isProperAncestor(op);
  }
  static llvm::SmallVector<Value> made(mlir::scf::ForOp loop, llvm::ArrayRef<unsigned> fresh) {
    llvm::SmallVector<Value> all;
    for (unsigned i : fresh) all.push_back(loop.getYieldedValues()[i]);
    return all;
  }
  /// Two buffers hold the tiles of the current and the previous iteration only. It is an error if a tile is carried
  /// over more than one iteration.
  bool carried_once(mlir::scf::ForOp loop, llvm::ArrayRef<unsigned> fresh) {
    for (unsigned i : fresh)
      if (llvm::is_contained(loop.getYieldedValues(), loop.getRegionIterArg(i)))
        return error(loop, "scf.for hands " + tile_text_of(loop.getRegionIterArg(i)) +
                               " on for more than one iteration, which buffers in turn do not hold. Move it into a "
                               "tile of its own with tmov");
    return true;
  }
  /// The body writes the first of the two buffers and yields it; the two buffers are swapped for the next iteration.
  void hand_on(mlir::scf::ForOp loop, unsigned count, llvm::ArrayRef<unsigned> fresh) {
    Operation* yield = loop.getBody()->getTerminator();
    mlir::OpBuilder builder(yield);
    llvm::SmallVector<Value> values(yield->getOperands());
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      const auto first = count + 2 * static_cast<unsigned>(k);
      const Value made = values[fresh[k]], next = loop.getRegionIterArg(first),
                  other = loop.getRegionIterArg(first + 1);
      Operation* op = made.getDefiningOp();
      const bool here = op->getBlock() == loop.getBody() && fields_of(op);
      if (here) {
        target_[op] = next;
      } else {
        create_op(builder, loop.getLoc(), "tmov", {}, {made, next},
                  {builder.getNamedAttr(carry, builder.getUnitAttr())});
        for (Value& v : values)
          if (v == made) v = next;
      }
      values.push_back(other), values.push_back(here ? made : next);
    }
    yield->setOperands(values);
  }

  bool lower(Operation* op) {
    const auto written = target_.find(op);
    Value old = op->getResult(0);
    const Value buffer =
        written != target_.end() ? written->second : alloc(op, old, deduced(op), op->getAttr(kept_addr));
    if (!buffer) return false;
    mlir::OpBuilder builder(op);
    llvm::SmallVector<Value> operands(op->getOperands());
    operands.push_back(buffer);
    llvm::SmallVector<mlir::NamedAttribute> attributes;
    for (const mlir::NamedAttribute a : op->getAttrs())
      if (a.getName() != kept_addr) attributes.push_back(a);
    create_op(builder, op->getLoc(), base_name(op), {}, operands, attributes);
    old.replaceAllUsesWith(buffer);
    op->erase();
    return true;
  }

  /// Creates a buffer for a tile before an operation. Returns null, after adding an error, if a dynamic extent of the
  /// type cannot be derived from the operands.
  Value alloc(Operation* before, Value tile, const Extents& shape, mlir::Attribute addr) {
    mlir::OpBuilder builder(before);
    const TileDesc t = spec_of(tile.getType())->tile;
    const bool rows = !pto::instr::known(t.valid_rows), cols = !pto::instr::known(t.valid_cols);
    if ((rows && !shape.rows) || (cols && !shape.cols)) {
      error(before, "the valid " + std::string(rows && !shape.rows ? "rows" : "columns") + " of " + tile_text_of(tile) +
                        " are open in its type, and its operands do not say them; it is !pto." +
                        to_text(*spec_of(tile.getType())) + ". Write them in the type, or write Level 2");
      return {};
    }
    mlir::OperationState state(tile.getLoc(), "pto.alloc_tile");
    Value place;
    if (const auto at = mlir::dyn_cast_or_null<mlir::IntegerAttr>(addr))
      place = builder.create<mlir::arith::ConstantOp>(builder.getUnknownLoc(), builder.getI64IntegerAttr(at.getInt()));
    set_alloc_operands(state, place, rows ? value(builder, shape.rows) : Value(),
                       cols ? value(builder, shape.cols) : Value());
    state.addTypes(with_kind(tile.getType(), Kind::tile_buf));
    const Value buffer = builder.create(state)->getResult(0);
    shapes_[buffer.getAsOpaquePointer()] = {rows ? shape.rows : OpFoldResult(builder.getIndexAttr(t.valid_rows)),
                                            cols ? shape.cols : OpFoldResult(builder.getIndexAttr(t.valid_cols))};
    return buffer;
  }
  static Value value(mlir::OpBuilder& builder, OpFoldResult v) {
    if (const auto already = mlir::dyn_cast<Value>(v)) return already;
    return builder.create<mlir::arith::ConstantIndexOp>(builder.getUnknownLoc(), *constant_of(v));
  }

  Extents extents(Value tile) {
    if (const auto it = shapes_.find(tile.getAsOpaquePointer()); it != shapes_.end()) return it->second;
    if (Operation* op = tile.getDefiningOp(); op && fields_of(op) && op->getNumResults() == 1) return deduced(op);
    return of_type(tile);
  }
  static Extents of_type(Value tile) {
    const TileDesc t = describe_tile(tile);
    mlir::Builder builder(tile.getContext());
    const auto number = [&](std::int64_t n) {
      return pto::instr::known(n) ? OpFoldResult(builder.getIndexAttr(n)) : OpFoldResult();
    };
    return {number(t.valid_rows), number(t.valid_cols)};
  }
  /// The extents of a two-dimensional ND view; null extents for other tensors.
  static Extents of_tensor(Value tensor) {
    Operation* op = tensor.getDefiningOp();
    const TensorDesc t = describe_tensor(tensor);
    mlir::Builder builder(tensor.getContext());
    const auto number = [&](std::int64_t n) {
      return pto::instr::known(n) ? OpFoldResult(builder.getIndexAttr(n)) : OpFoldResult();
    };
    Extents e{number(t.shape[3]), number(t.shape[4])};
    if (t.layout != pto::Layout::ND || t.shape[0] != 1 || t.shape[1] != 1 || t.shape[2] != 1) return {};
    const llvm::StringRef base = op ? base_name(op) : "";
    if (base != "partition_view" && base != "make_tensor_view") return e;
    const auto list = view_list(op, base == "partition_view" ? "sizes" : "shape");
    if (!list.empty()) e.cols = list.back();
    if (list.size() > 1) e.rows = list[list.size() - 2];
    return e;
  }

  /// The extents of the result: those of its type where they are constant, otherwise derived from the operands.
  Extents deduced(Operation* op) {
    const Fields f = *fields_of(op);
    const llvm::StringRef base = base_name(op);
    const Extents own = of_type(op->getResult(0));
    Extents e;
    if (base == "tload") e = of_tensor(f.values[1]);
    if (base == "tmov") e = extents(f.values[1]);
    if (base == "tgather" && f.values.size() > 2 && f.values[2]) e = extents(f.values[2]);
    if (base == "mgather" && f.form->operands[2].tile) e = gathered(op, f);
    return {own.rows ? own.rows : e.rows, own.cols ? own.cols : e.cols};
  }
  Extents gathered(Operation* op, const Fields& f) {
    const Extents idx = extents(f.values[2]);
    const pto::instr::CoalesceChoice c = operands_of<pto::instr::Mgather>(op, f).policy.coalesce;
    if (c.open) return {};
    if (c.elem()) return idx;
    const bool in_a_row = describe_tile(f.values[2]).rows == 1;
    return {in_a_row ? idx.cols : idx.rows, of_tensor(f.values[1]).cols};
  }

  mlir::func::FuncOp function_;
  Diagnostics& out_;
  std::map<Operation*, Value> target_;  ///< by instruction: the loop-carried buffer that it writes
  std::map<void*, Extents> shapes_;     ///< by buffer
};

}  // namespace

bool to_level2(Module& module, Diagnostics& out) {
  Listener listener(*module.context, out);
  if (!stage_collectives(module, false, out)) return false;
  for (auto function : module.op->getOps<mlir::func::FuncOp>()) {
    if (is_schematic(function) || !has_kind(function, Kind::tile)) continue;
    if (function.isExternal())
      convert_types(function, Kind::tile_buf);
    else if (!LevelLowering(function, out).run())
      return false;
  }
  return mlir::succeeded(mlir::verify(*module.op));
}

}  // namespace ptox::assembly
