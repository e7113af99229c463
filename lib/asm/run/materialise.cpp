// SPDX-License-Identifier: Apache-2.0
// Replaces tensor and tile parameters of a kernel by pointers, from which views and tiles are created.
#include <optional>

#include "asm/dialect/collective.hpp"
#include "asm/run/lower.hpp"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace ptox::assembly {

using mlir::Operation;
using mlir::Type;
using mlir::Value;
namespace func = mlir::func;

namespace {

/// Whether a function reads or writes a tile parameter.
struct Use {
  bool read = false, written = false;
};
Use use_of(Value tile) {
  Use use;
  for (Operation* user : tile.getUsers()) {
    if (base_name(user) == "tassign" || base_name(user) == "set_validshape" || collective_of(user)) continue;
    const auto fields = fields_of(user);
    if (!fields) return {true, true};
    const pto::instr::Role role = fields->form->operands[0].role;
    const bool first = fields->values[0] == tile && role != pto::instr::Role::scratch;
    use.written |= first;
    use.read |=
        (first && role == pto::instr::Role::inout) || llvm::is_contained(llvm::drop_begin(fields->values), tile);
  }
  return use;
}

/// Rewrites one function: parameters become pointers, tiles are loaded at the start and stored before each return.
class Materialise {
 public:
  Materialise(func::FuncOp function, bool tensors, bool results, Diagnostics& out)
      : function_(function), tensors_(tensors), results_(results), out_(out), builder_(function.getContext()) {}

  void run() {
    mlir::Block& entry = function_.getBody().front();
    builder_.setInsertionPointToStart(&entry);
    if (results_)
      for (Operation& op : llvm::make_early_inc_range(entry)) show_result(&op);
    builder_.setInsertionPointToStart(&entry);
    for (unsigned i = 0; i < function_.getNumArguments(); ++i) {
      const TypeSpec* spec = spec_of(function_.getArgument(i).getType());
      if (spec && spec->kind == TypeSpec::Kind::group && !spec->schematic) make_group(function_.getArgument(i));
      if (!spec || !((tensors_ && spec->is_tensor()) || spec->is_tile()) || spec->schematic) continue;
      replace(function_.getArgument(i), *spec);
    }
    for (unsigned i = function_.getNumArguments(); i-- > 0;)
      if (llvm::is_contained(staging_, i)) function_.eraseArgument(i);
    function_.setFunctionType(
        builder_.getFunctionType(llvm::SmallVector<Type>(entry.getArgumentTypes()), function_.getResultTypes()));
    if (loaded_) barrier(function_.getLoc());
    store_tiles();
  }

 private:
  struct Stored {
    Value tile, view;
  };

  Type pointer_to(DType dtype) {
    TypeSpec pointer;
    pointer.dtype = dtype;
    return PtoType::get(builder_.getContext(), pointer);
  }

  void replace(mlir::BlockArgument argument, TypeSpec spec) {
    const Type old = argument.getType();
    const auto block = spec.is_tile() ? block_of(spec) : std::optional(spec);
    if (!block || !block->tensor().is_static()) {
      out_.error("argument " + name_of(argument) + " is !pto." + to_text(spec) +
                     (block ? ": to run, write its extents" : ": boxes other than NZ are not bound to an argument"),
                 place_of(argument.getLoc()));
      return;
    }
    const Use use = spec.is_tile() ? use_of(argument) : Use{};
    if (spec.is_tile() && !use.read && !use.written && stages(argument)) return stage(argument, spec);
    argument.setType(pointer_to(block->dtype));
    const Value view = make_view(argument, *block);
    Value used = spec.is_tile() ? make_tile(argument, spec, view, use) : view;
    argument.replaceUsesWithIf(used, [&](mlir::OpOperand& o) { return o.getOwner() != view.getDefiningOp(); });
    if (!spec.is_tile()) used.setType(old);
  }
  static bool stages(Value tile) {
    return llvm::any_of(tile.getUsers(), [](Operation* user) { return collective_of(user).has_value(); });
  }
  /// A tile parameter that is used only for staging becomes a local tile, and the parameter is removed.
  void stage(mlir::BlockArgument argument, const TypeSpec& spec) {
    argument.replaceAllUsesWith(make_tile(argument, spec, {}, {}));
    staging_.push_back(argument.getArgNumber());
  }
  /// A group parameter becomes a pointer to one symmetric array, whose extents are derived from the collectives that
  /// use the group.
  void make_group(mlir::BlockArgument group) {
    const auto refuse = [&](const std::string& why) {
      out_.error("argument " + name_of(group) + " is " + short_text(*spec_of(group.getType())) + why +
                     ". Make it in the kernel: make_group of a tensor",
                 place_of(group.getLoc()));
    };
    std::optional<TensorDesc> tensor;
    for (Operation* user : group.getUsers()) {
      const auto c = collective_of(user);
      if (!c) return refuse(", and not used by a collective alone");
      const TensorDesc own = describe_tensor(c->tensor), theirs = rank_tensor(user, *c);
      const GroupOperands o = describe_group(user, *c);
      if (!theirs.is_static() || theirs.layout == pto::Layout::NZ)
        return refuse(", and the extents of " + std::string(o.name) + ", which would say a rank's, are open");
      if (o.spreads && own.shape[3] % o.ranks != 0)
        return refuse(", and the " + std::to_string(own.shape[3]) + " rows of " + o.name +
                      " are not a whole number for each of its ranks");
      const bool same =
          !tensor || (tensor->dtype == theirs.dtype && std::equal(theirs.shape, theirs.shape + 5, tensor->shape));
      if (!same) return refuse(", and its collectives have ranks' tensors of different extents");
      tensor = theirs;
    }
    if (!tensor) return;
    const Type type = group.getType();
    TypeSpec spec;
    spec.kind = TypeSpec::Kind::tensor_view, spec.dtype = tensor->dtype, spec.layout = tensor->layout;
    spec.shape.assign(tensor->shape, tensor->shape + 5);
    while (spec.shape.size() > 2 && spec.shape[0] == 1) spec.shape.erase(spec.shape.begin());
    group.setType(pointer_to(tensor->dtype));
    const Value view = make_view(group, spec);
    Operation* made = create_op(builder_, unnamed(group.getLoc()), "make_group", type, view);
    group.replaceUsesWithIf(made->getResult(0),
                            [&](mlir::OpOperand& o) { return o.getOwner() != view.getDefiningOp(); });
  }
  /// The type of the global array for the valid region of a tile: packed rows (ND), columns (DN) or boxes (NZ).
  /// std::nullopt for other boxed layouts.
  static std::optional<TypeSpec> block_of(const TypeSpec& spec) {
    const TileDesc& t = spec.tile;
    TypeSpec block;
    block.kind = TypeSpec::Kind::tensor_view;
    block.dtype = t.dtype;
    block.shape = {t.valid_rows, t.valid_cols};
    if (!t.boxed()) {
      if (t.blayout == pto::BLayout::ColMajor) block.layout = pto::Layout::DN;
      return block;
    }
    if (!t.is_nz()) return std::nullopt;
    const std::int64_t c0 = pto::instr::c0_of(t.dtype);
    block.layout = pto::Layout::NZ;
    block.shape = {1, t.cols / c0, t.rows / 16, 16, c0};
    return block;
  }
  Value make_view(Value pointer, TypeSpec spec) {
    const TensorDesc desc = spec.tensor();
    const auto last = [&](const std::int64_t(&five)[5]) { return llvm::ArrayRef(five).take_back(spec.shape.size()); };
    const mlir::NamedAttribute attributes[] = {
        builder_.getNamedAttr("static_shape", builder_.getDenseI64ArrayAttr(last(desc.shape))),
        builder_.getNamedAttr("static_strides", builder_.getDenseI64ArrayAttr(last(desc.stride)))};
    spec.kind = TypeSpec::Kind::tensor_view;
    spec.strides.clear();
    return create_op(builder_, named(unnamed(pointer.getLoc()), name_of(pointer) + "_gm"), "make_tensor_view",
                     PtoType::get(builder_.getContext(), spec), pointer, attributes)
        ->getResult(0);
  }
  /// The address from the only tassign of the tile, which is erased; null if there is not exactly one with a constant
  /// address.
  Value place_by_hand(Value argument) {
    Operation* assign = nullptr;
    for (Operation* user : argument.getUsers()) {
      if (base_name(user) != "tassign") continue;
      if (assign || user->getBlock() != builder_.getInsertionBlock()) return {};
      assign = user;
    }
    if (!assign) return {};
    const auto written = assign->getAttrOfType<mlir::IntegerAttr>("offset");
    const auto offset = written ? std::optional(written.getInt()) : constant_of(assign->getOperand(1));
    if (!offset) return {};
    const Value addr = builder_.create<mlir::arith::ConstantIntOp>(assign->getLoc(), *offset, 64);
    assign->erase();  // the insertion point may be this operation: set it again
    builder_.setInsertionPointAfterValue(addr);
    return addr;
  }
  Value make_tile(Value argument, TypeSpec spec, Value view, Use use) {
    spec.kind = TypeSpec::Kind::tile_buf;
    const mlir::Location loc = unnamed(argument.getLoc());
    mlir::OperationState state(named(loc, name_of(argument) + "_tile"), "pto.alloc_tile");
    if (const Value addr = place_by_hand(argument)) {
      state.location = named(unnamed(addr.getLoc()), name_of(argument) + "_tile");
      set_alloc_operands(state, addr, {}, {});
    } else {
      set_alloc_operands(state, {}, {}, {});
    }
    state.addTypes(PtoType::get(builder_.getContext(), spec));
    const Value tile = builder_.create(state)->getResult(0);
    if (use.read) create_op(builder_, loc, "tload", {}, {view, tile});
    loaded_ |= use.read;
    if (use.written) stored_.push_back({tile, view});
    return tile;
  }
  /// A named tile that is written and never read is a result of the kernel: it is stored to a new parameter of that
  /// name.
  void show_result(Operation* op) {
    if (base_name(op) != "alloc_tile" || name_of(op->getResult(0)).empty()) return;
    const Value tile = op->getResult(0);
    const Use use = use_of(tile);
    const auto block = block_of(*spec_of(tile.getType()));
    if (use.read || !use.written || !block || !block->tensor().is_static()) return;
    const unsigned at = function_.getNumArguments();
    function_.insertArgument(at, pointer_to(block->dtype), {}, tile.getLoc());
    stored_.push_back({tile, make_view(function_.getArgument(at), *block)});
  }
  void barrier(mlir::Location loc) {
    const auto all = PtoAttr::get(builder_.getContext(), "pipe", "PIPE_ALL");
    create_op(builder_, unnamed(loc), "barrier", {}, {}, builder_.getNamedAttr("pipe", all));
  }
  void store_tiles() {
    if (stored_.empty()) return;
    llvm::SmallVector<Operation*> returns;
    function_.walk([&](func::ReturnOp op) { returns.push_back(op); });
    for (Operation* end : returns) {
      builder_.setInsertionPoint(end);
      barrier(end->getLoc());
      for (const auto& [tile, view] : stored_) create_op(builder_, unnamed(view.getLoc()), "tstore", {}, {tile, view});
    }
  }

  func::FuncOp function_;
  bool tensors_, results_;
  Diagnostics& out_;
  mlir::OpBuilder builder_;
  std::vector<Stored> stored_;
  std::vector<unsigned> staging_;
  bool loaded_ = false;
};

}  // namespace

bool has_values(const Module& module) {
  const auto value = [](Type t) { return spec_of(t) && spec_of(t)->kind == TypeSpec::Kind::tile; };
  return module.op.get()
      .walk([&](Operation* op) {
        return llvm::any_of(op->getResultTypes(), value) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

void materialise_arguments(Module& module, const std::string& entry, bool results, Diagnostics& out) {
  Materialise(module.op.get().lookupSymbol<func::FuncOp>(entry), true, results, out).run();
}

void materialise_tiles(Module& module, bool results, Diagnostics& out) {
  mlir::ModuleOp op = module.op.get();
  for (auto function : llvm::to_vector(op.getOps<func::FuncOp>()))
    if (!function.isExternal() && mlir::SymbolTable::symbolKnownUseEmpty(function, op))
      Materialise(function, false, results, out).run();
}

}  // namespace ptox::assembly
