// SPDX-License-Identifier: Apache-2.0
// How does a kernel get tensors and tiles as arguments? As pointers, and views and tiles made of them.
#include "asm/lower.hpp"
#include "asm/operands.hpp"
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

/// Tensors and tiles that are arguments become views and tiles of pointers, loaded before and stored after the rest.
class Materialise {
 public:
  Materialise(func::FuncOp function, bool tensors, Diagnostics& out)
      : function_(function), tensors_(tensors), out_(out), builder_(function.getContext()) {}

  void run() {
    builder_.setInsertionPointToStart(&function_.getBody().front());
    llvm::SmallVector<Type> inputs(function_.getArgumentTypes());
    for (unsigned i = 0; i < function_.getNumArguments(); ++i) {
      const TypeSpec* spec = spec_of(function_.getArgument(i).getType());
      if (!spec || !((tensors_ && spec->is_tensor()) || spec->is_tile()) || spec->schematic) continue;
      inputs[i] = replace(function_.getArgument(i), *spec);
    }
    function_.setFunctionType(builder_.getFunctionType(inputs, function_.getResultTypes()));
    if (loaded_) barrier();
    store_tiles();
  }

 private:
  Type replace(mlir::BlockArgument argument, TypeSpec spec) {
    const Type old = argument.getType();
    TypeSpec pointer;
    pointer.dtype = spec.is_tile() ? spec.tile.dtype : spec.dtype;
    const Type type = PtoType::get(builder_.getContext(), pointer);
    const TensorDesc desc = spec.is_tile() ? block_of(spec) : spec.tensor();
    if (!desc.is_static()) {
      out_.error("argument " + name_of(argument) + " is !pto." + to_text(spec) + ": to run, write its extents",
                 place_of(function_.getLoc()));
      return old;
    }
    argument.setType(type);
    const Value view = make_view(argument, desc, spec.is_tile() ? 2 : spec.shape.size());
    Value used = spec.is_tile() ? make_tile(argument, spec, view) : view;
    argument.replaceUsesWithIf(used, [&](mlir::OpOperand& use) { return use.getOwner() != view.getDefiningOp(); });
    if (!spec.is_tile()) used.setType(old);
    return type;
  }
  /// A tile's valid region as packed rows.
  static TensorDesc block_of(const TypeSpec& spec) {
    TypeSpec block;
    block.kind = TypeSpec::Kind::tensor_view;
    block.dtype = spec.tile.dtype;
    block.shape = {spec.tile.valid_rows, spec.tile.valid_cols};
    const bool column = spec.tile.blayout == pto::BLayout::ColMajor && !spec.tile.boxed();
    if (column) block.layout = pto::Layout::DN;
    return block.tensor();
  }
  Value make_view(Value pointer, const TensorDesc& desc, std::size_t rank) {
    const auto last = [&](const std::int64_t(&five)[5]) { return llvm::ArrayRef(five).take_back(rank); };
    TypeSpec view;
    view.kind = TypeSpec::Kind::tensor_view;
    view.dtype = desc.dtype, view.layout = desc.layout;
    view.shape.assign(last(desc.shape).begin(), last(desc.shape).end());
    const mlir::NamedAttribute attributes[] = {
        builder_.getNamedAttr("static_shape", builder_.getDenseI64ArrayAttr(last(desc.shape))),
        builder_.getNamedAttr("static_strides", builder_.getDenseI64ArrayAttr(last(desc.stride)))};
    return create_op(builder_, named(function_.getLoc(), name_of(pointer) + "_gm"), "make_tensor_view",
                     PtoType::get(builder_.getContext(), view), pointer, attributes)
        ->getResult(0);
  }
  /// The place that a single tassign of the tile gives it, which is then done; null when there is none.
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
    const Value addr = builder_.create<mlir::arith::ConstantIntOp>(function_.getLoc(), *offset, 64);
    assign->erase();  // which may stand where the builder does
    builder_.setInsertionPointAfterValue(addr);
    return addr;
  }
  Value make_tile(Value argument, TypeSpec spec, Value view) {
    spec.kind = TypeSpec::Kind::tile_buf;
    mlir::OperationState state(named(function_.getLoc(), name_of(argument) + "_tile"), "pto.alloc_tile");
    set_alloc_operands(state, place_by_hand(argument), {}, {});
    state.addTypes(PtoType::get(builder_.getContext(), spec));
    const Value tile = builder_.create(state)->getResult(0);
    create_op(builder_, function_.getLoc(), "tload", {}, {view, tile});
    loaded_ = true;
    tiles_.push_back({tile, view});
    return tile;
  }
  void barrier() {
    const auto all = PtoAttr::get(builder_.getContext(), "pipe", "PIPE_ALL");
    create_op(builder_, function_.getLoc(), "barrier", {}, {}, builder_.getNamedAttr("pipe", all));
  }
  static bool written(Value tile) {
    return llvm::any_of(tile.getUsers(),
                        [&](Operation* user) {
                          const auto fields = fields_of(user);
                          return fields && fields->values[0] == tile &&
                                 fields->form->operands[0].role != pto::instr::Role::scratch &&
                                 user->getNumOperands() > 1 && base_name(user) != "tload";
                        }) ||
           llvm::count_if(tile.getUsers(), [&](Operation* u) { return base_name(u) == "tload"; }) > 1;
  }
  void store_tiles() {
    llvm::SmallVector<Operation*> returns;
    function_.walk([&](func::ReturnOp op) { returns.push_back(op); });
    for (Operation* end : returns) {
      builder_.setInsertionPoint(end);
      bool first = true;
      for (const auto& [tile, view] : tiles_) {
        if (!written(tile)) continue;
        if (std::exchange(first, false)) barrier();
        create_op(builder_, function_.getLoc(), "tstore", {}, {tile, view});
      }
    }
  }

  struct Pair {
    Value tile, view;
  };
  func::FuncOp function_;
  bool tensors_;
  Diagnostics& out_;
  mlir::OpBuilder builder_;
  std::vector<Pair> tiles_;
  bool loaded_ = false;
};

}  // namespace

void materialise_arguments(Module& module, const std::string& entry, Diagnostics& out) {
  Materialise(module.op.get().lookupSymbol<func::FuncOp>(entry), true, out).run();
}

void materialise_tiles(Module& module, Diagnostics& out) {
  mlir::ModuleOp op = module.op.get();
  for (auto function : llvm::to_vector(op.getOps<func::FuncOp>()))
    if (!function.isExternal() && mlir::SymbolTable::symbolKnownUseEmpty(function, op))
      Materialise(function, false, out).run();
}

}  // namespace ptox::assembly
