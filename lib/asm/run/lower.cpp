// SPDX-License-Identifier: Apache-2.0
#include "asm/run/lower.hpp"

#include <map>

#include "asm/dialect/collective.hpp"
#include "asm/run/group_calls.hpp"
#include "asm/run/issue_call.hpp"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

using llvm::StringRef;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
namespace arith = mlir::arith;
namespace func = mlir::func;

namespace {

/// Symbols in compiled code: the run-time entry, and the generated function that calls the kernel.
constexpr const char *entry_symbol = "ptox_call", *main_symbol = "ptox_main";

class Lowering {
 public:
  Lowering(Kernel& kernel, Diagnostics& out) : kernel_(kernel), out_(out), builder_(kernel.module->getContext()) {}

  bool run(const std::string& entry) {
    mlir::ModuleOp module = *kernel_.module;
    builder_.setInsertionPointToStart(module.getBody());
    const Type i64 = builder_.getI64Type();
    const llvm::SmallVector<Type> inputs(most_values + 1, i64);
    entry_ = builder_.create<func::FuncOp>(module.getLoc(), entry_symbol, builder_.getFunctionType(inputs, i64));
    entry_.setPrivate();
    llvm::SmallVector<Operation*> ops;
    module.walk([&](Operation* op) { ops.push_back(op), describe(op); });
    for (Operation* op : ops) replace(op);
    make_main(entry);
    make_numbers(module);
    return !out_.has_errors();
  }

 private:
  // ---- values ----
  Value number(std::int64_t n) { return builder_.create<arith::ConstantIntOp>(at_, n, 64); }
  /// Converts a value to i64: integers are sign-extended (i1 zero-extended), floats become the bits of an f64, and
  /// numbers of tiles and views are unchanged.
  Value wide(Value v) {
    const Type type = v.getType(), i64 = builder_.getI64Type();
    if (type.isInteger(64)) return v;
    if (spec_of(type)) return cast(v, i64);
    if (type.isIndex()) return builder_.create<arith::IndexCastOp>(at_, i64, v);
    if (type.isInteger(1)) return builder_.create<arith::ExtUIOp>(at_, i64, v);
    if (type.isInteger()) return builder_.create<arith::ExtSIOp>(at_, i64, v);
    if (!type.isF64()) v = builder_.create<arith::ExtFOp>(at_, builder_.getF64Type(), v);
    return builder_.create<arith::BitcastOp>(at_, i64, v);
  }
  Value narrow(Value v, Type type) {
    if (type.isInteger(64)) return v;
    if (spec_of(type)) return cast(v, type);
    if (type.isIndex()) return builder_.create<arith::IndexCastOp>(at_, type, v);
    if (type.isInteger()) return builder_.create<arith::TruncIOp>(at_, type, v);
    const unsigned bits = type.getIntOrFloatBitWidth();
    if (bits < 64) v = builder_.create<arith::TruncIOp>(at_, builder_.getIntegerType(bits), v);
    return builder_.create<arith::BitcastOp>(at_, type, v);
  }
  /// A temporary cast between a type of the dialect and i64; make_numbers removes it.
  Value cast(Value v, Type type) {
    return builder_.create<mlir::UnrealizedConversionCastOp>(at_, type, v).getResult(0);
  }
  Value call(std::unique_ptr<Call> what, llvm::ArrayRef<Value> values = {}) {
    llvm::SmallVector<Value> inputs{number(static_cast<std::int64_t>(kernel_.program.calls.size()))};
    kernel_.program.calls.push_back(std::move(what));
    for (Value v : values) inputs.push_back(wide(v));
    const Value zero = inputs.size() <= most_values ? number(0) : Value();
    while (inputs.size() <= most_values) inputs.push_back(zero);
    return builder_.create<func::CallOp>(at_, entry_, inputs).getResult(0);
  }
  pto::instr::Site site(Operation* op) {
    const SourcePlace place = place_of(op->getLoc());
    return kernel_.program.sites.add(place.file, place.line);
  }
  /// The entries of a list of a view operation. SSA values are appended to `values`.
  static std::vector<Number> numbers(Operation* op, StringRef name, llvm::SmallVector<Value>& values) {
    std::vector<Number> list;
    for (mlir::OpFoldResult entry : view_list(op, name)) list.push_back(take(entry, values));
    return list;
  }
  static Number take(mlir::OpFoldResult entry, llvm::SmallVector<Value>& values) {
    if (const auto n = constant_of(entry)) return {*n, -1};
    values.push_back(mlir::cast<Value>(entry));
    return {0, static_cast<int>(values.size()) - 1};
  }

  // ---- operations ----
  /// Records descriptors while the operations that define the operands still exist.
  void describe(Operation* op) {
    if (base_name(op) == "make_tensor_view" || base_name(op) == "partition_view")
      views_[op] = describe_tensor(op->getResult(0));
    const auto fields = fields_of(op);
    if (!fields) return;
    std::vector<int> place;
    int next = fields->scalar ? 1 : 0;
    for (Value v : fields->values) place.push_back(v ? next++ : -1);
    const ScalarKind scalar = !fields->scalar                                        ? ScalarKind::none
                              : mlir::isa<mlir::FloatType>(fields->scalar.getType()) ? ScalarKind::floating
                                                                                     : ScalarKind::integer;
    with_instruction(*fields->form, [&]<class I>() {
      issues_[op] = std::make_unique<IssueCall<I>>(operands_of<I>(op, *fields), place, scalar, site(op));
    });
  }
  /// A fixed number for a tile, view or group, or -1 if each execution needs a new number because the value may be used
  /// after the operation is executed again (carried by a loop, yielded or returned).
  static int slot_of(Value v, int& count) {
    const bool outlives = llvm::any_of(v.getUsers(), [](Operation* user) {
      return !is_pto(user) && !(mlir::isa<func::CallOp>(user) && user->getNumResults() == 0);
    });
    return outlives ? -1 : count++;
  }
  void replace(Operation* op) {
    at_ = op->getLoc();
    builder_.setInsertionPoint(op);
    if (is_pto(op)) return replace_pto(op);
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) return guard_step(loop);
    using Kind = DivideCall::Kind;
    if (mlir::isa<arith::DivSIOp>(op)) return guard_division(op, Kind::div_s, "arith.divsi");
    if (mlir::isa<arith::DivUIOp>(op)) return guard_division(op, Kind::div_u, "arith.divui");
    if (mlir::isa<arith::RemSIOp>(op)) return guard_division(op, Kind::rem_s, "arith.remsi");
    if (mlir::isa<arith::RemUIOp>(op)) return guard_division(op, Kind::rem_u, "arith.remui");
    if (mlir::isa<arith::CeilDivSIOp>(op)) return guard_division(op, Kind::ceil_s, "arith.ceildivsi");
    if (mlir::isa<arith::CeilDivUIOp>(op)) return guard_division(op, Kind::ceil_u, "arith.ceildivui");
    if (mlir::isa<arith::FloorDivSIOp>(op)) return guard_division(op, Kind::floor_s, "arith.floordivsi");
  }
  void finish(Operation* op, Value result) {
    if (op->getNumResults() == 1) op->getResult(0).replaceAllUsesWith(narrow(result, op->getResult(0).getType()));
    op->erase();
  }

  void replace_pto(Operation* op) {
    const StringRef base = base_name(op);
    if (base.starts_with("section.")) return inline_section(op);
    if (base == "make_tensor_view" || base == "partition_view") return finish(op, make_view(op, base));
    if (base == "alloc_tile") return finish(op, alloc(op));
    if (base == "make_group") return finish(op, make_group(op));
    if (const auto collective = collective_of(op)) return finish(op, collect(op, *collective));
    if (const auto fields = fields_of(op)) return finish(op, issue(op, *fields));
    finish(op, small(op, base));
  }
  static void inline_section(Operation* op) {
    mlir::Block& body = op->getRegion(0).front();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
    op->erase();
  }
  Value make_view(Operation* op, StringRef base) {
    const bool whole = base == "make_tensor_view";
    llvm::SmallVector<Value> values{op->getOperand(0)};
    auto first = numbers(op, whole ? "shape" : "offsets", values);
    auto second = numbers(op, whole ? "strides" : "sizes", values);
    const TensorDesc type = views_[op];
    const int view = slot_of(op->getResult(0), kernel_.program.views);
    if (whole)
      return call(std::make_unique<MakeViewCall>(view, type, std::move(first), std::move(second), site(op)), values);
    return call(std::make_unique<PartitionCall>(view, type, std::move(first), std::move(second), site(op)), values);
  }
  Value alloc(Operation* op) {
    llvm::SmallVector<Value> values;
    const auto given = [&](StringRef name) -> std::optional<Number> {
      const Value v = alloc_operand(op, name);
      return v ? std::optional(take(v, values)) : std::nullopt;
    };
    const auto addr = given("addr"), rows = given("valid_row"), cols = given("valid_col");
    const TileDesc type = describe_tile(op->getResult(0));
    const int tile = slot_of(op->getResult(0), kernel_.program.tiles);
    return call(std::make_unique<AllocCall>(tile, type, addr, rows, cols, site(op)), values);
  }
  Value issue(Operation* op, const Fields& fields) {
    llvm::SmallVector<Value> values;
    if (fields.scalar) values.push_back(fields.scalar);
    for (Value v : fields.values)
      if (v) values.push_back(v);
    return call(std::move(issues_[op]), values);
  }
  /// Splits a group into calls of at most most_values values.
  Value make_group(Operation* op) {
    const std::int64_t ranks = spec_of(op->getResult(0).getType())->ranks;
    const int number = slot_of(op->getResult(0), kernel_.program.groups);
    Value group;
    for (llvm::SmallVector<Value> left(op->getOperands()); !group || !left.empty();) {
      llvm::SmallVector<Value> values;
      if (group) values.push_back(group);
      const std::size_t count = std::min<std::size_t>(left.size(), most_values - values.size());
      values.append(left.begin(), left.begin() + count);
      left.erase(left.begin(), left.begin() + count);
      group = call(std::make_unique<GroupCall>(number, !!group, static_cast<int>(count), ranks, root_of(op), site(op)),
                   values);
    }
    return group;
  }
  Value collect(Operation* op, const Collective& c) {
    using Kind = CollectiveCall::Kind;
    const StringRef base = base_name(op);
    const Kind kind = base == "tscatter"     ? Kind::scatter
                      : base == "tgather"    ? Kind::gather
                      : base == "tbroadcast" ? Kind::broadcast
                                             : Kind::reduce;
    std::vector<TileDesc> staging;
    for (Value v : c.staging) staging.push_back(describe_tile(v));
    return call(std::make_unique<CollectiveCall>(kind, reduce_op_of(op), std::move(staging), site(op)),
                llvm::SmallVector<Value>(op->getOperands()));
  }
  Value at_rank(Operation* op) {
    const Value result = op->getResult(0);
    const auto view =
        is_tensor(result.getType()) ? std::optional(slot_of(result, kernel_.program.views)) : std::nullopt;
    return call(std::make_unique<AtRankCall>(view, site(op)), {op->getOperand(0), op->getOperand(1)});
  }
  /// Lowers flags, barriers, events, tile addresses, and queries of blocks and ranks.
  Value small(Operation* op, StringRef base) {
    using namespace pto::instr;
    const auto word = [&](StringRef name) { return op->getAttrOfType<PtoAttr>(name).index(); };
    if (base == "set_flag")
      return call(std::make_unique<OrderCall<SetFlag>>(
          SetFlag::Operands{word("src_pipe"), word("dst_pipe"), word("event")}, site(op)));
    if (base == "wait_flag")
      return call(std::make_unique<OrderCall<WaitFlag>>(
          WaitFlag::Operands{word("src_pipe"), word("dst_pipe"), word("event")}, site(op)));
    if (base == "barrier")
      return call(std::make_unique<OrderCall<PipeBarrier>>(PipeBarrier::Operands{word("pipe")}, site(op)));
    if (base == "dsb")
      return call(std::make_unique<OrderCall<Dsb>>(Dsb::Operands{static_cast<mem_dsb_t>(word("kind"))}, site(op)));
    if (base == "dcci")
      return call(std::make_unique<DcciCall>(is_tensor(op->getOperand(0).getType()),
                                             static_cast<cache_line_t>(word("kind")), site(op)),
                  op->getOperand(0));
    if (base == "record_event" || base == "wait_event")
      return call(std::make_unique<EventCall>(base == "wait_event", static_cast<pto::Op>(word("src_op")),
                                              static_cast<pto::Op>(word("dst_op")), word("event"), site(op)));
    if (base == "get_block_idx" || base == "get_block_num")
      return call(std::make_unique<BlockIndexCall>(base == "get_block_num"));
    if (base == "get_rank" || base == "get_rank_num") return call(std::make_unique<RankCall>(base == "get_rank_num"));
    if (base == "at_rank") return at_rank(op);
    const TileDesc tile = describe_tile(op->getOperand(0));
    llvm::SmallVector<Value> values(op->getOperands());
    if (base == "set_validshape") return call(std::make_unique<ValidShapeCall>(tile, site(op)), values);
    const auto offset = op->getAttrOfType<mlir::IntegerAttr>("offset");
    return call(std::make_unique<AssignCall>(tile, offset ? Number{offset.getInt(), -1} : Number{0, 1}, site(op)),
                values);
  }
  void guard_division(Operation* op, DivideCall::Kind kind, const char* name) {
    const Type type = op->getResult(0).getType();
    const int bits = type.isIndex() ? 64 : static_cast<int>(type.getIntOrFloatBitWidth());
    finish(op, call(std::make_unique<DivideCall>(kind, bits, name, site(op)), {op->getOperand(0), op->getOperand(1)}));
  }
  void guard_step(mlir::scf::ForOp loop) {
    if (const auto step = constant_of(loop.getStep()); step && *step > 0) return;
    const Type type = loop.getStep().getType();
    const int bits = type.isIndex() ? 64 : static_cast<int>(type.getIntOrFloatBitWidth());
    const Value safe = call(std::make_unique<StepCall>(bits, site(loop)),
                            {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    loop.setStep(narrow(safe, loop.getStep().getType()));
  }

  // ---- the whole ----
  /// Creates a function without parameters that fetches each argument of the kernel by a call and calls the kernel.
  void make_main(const std::string& entry) {
    mlir::ModuleOp module = *kernel_.module;
    auto kernel = module.lookupSymbol<func::FuncOp>(entry);
    at_ = kernel.getLoc();
    builder_.setInsertionPointToEnd(module.getBody());
    auto main = builder_.create<func::FuncOp>(at_, main_symbol, builder_.getFunctionType({}, {}));
    builder_.setInsertionPointToStart(main.addEntryBlock());
    llvm::SmallVector<Value> arguments;
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      arguments.push_back(
          narrow(call(std::make_unique<ArgumentCall>(static_cast<int>(i))), kernel.getArgument(i).getType()));
    builder_.create<func::CallOp>(at_, kernel, arguments);
    builder_.create<func::ReturnOp>(at_);
  }
  /// Replaces the types of the dialect by i64 and removes the attributes of the dialect.
  void make_numbers(mlir::ModuleOp module) {
    const Type i64 = builder_.getI64Type();
    const auto convert = [&](Value v) {
      if (spec_of(v.getType())) v.setType(i64);
    };
    module->removeAttr("pto.target_arch");
    module.walk([&](Operation* op) {
      for (Value v : op->getResults()) convert(v);
      for (mlir::Region& region : op->getRegions())
        for (mlir::Block& block : region)
          for (Value v : block.getArguments()) convert(v);
      llvm::SmallVector<mlir::StringAttr> ours;
      for (mlir::NamedAttribute a : op->getDiscardableAttrs())
        if (a.getNameDialect() && a.getNameDialect()->getNamespace() == "pto") ours.push_back(a.getName());
      for (mlir::StringAttr name : ours) op->removeDiscardableAttr(name);
    });
    module.walk([](mlir::UnrealizedConversionCastOp cast) {
      cast.getResult(0).replaceAllUsesWith(cast.getOperand(0));
      cast.erase();
    });
    module.walk([&](func::FuncOp function) {
      const auto numbered = [&](mlir::TypeRange types) {
        llvm::SmallVector<Type> list;
        for (Type t : types) list.push_back(spec_of(t) ? i64 : t);
        return list;
      };
      const mlir::FunctionType type = function.getFunctionType();
      function.setFunctionType(builder_.getFunctionType(numbered(type.getInputs()), numbered(type.getResults())));
    });
  }

  Kernel& kernel_;
  Diagnostics& out_;
  mlir::OpBuilder builder_;
  mlir::Location at_ = builder_.getUnknownLoc();
  std::map<Operation*, TensorDesc> views_;
  std::map<Operation*, std::unique_ptr<Call>> issues_;
  func::FuncOp entry_;
};

bool describe(func::FuncOp function, std::vector<Parameter>& parameters, Diagnostics& out) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const Value argument = function.getArgument(i);
    Parameter p;
    p.name = name_of(argument).empty() ? "arg" + std::to_string(i) : name_of(argument);
    const Type type = argument.getType();
    if (const TypeSpec* spec = spec_of(type)) {
      p.dtype = spec->dtype;
      if (spec->kind != TypeSpec::Kind::ptr)
        out.error("argument " + p.name + " is !pto." + to_text(*spec) + ", which run cannot bind",
                  place_of(function.getLoc()));
    } else {
      p.kind = mlir::isa<mlir::FloatType>(type) ? Parameter::Kind::floating : Parameter::Kind::integer;
      p.bits = type.isIndex() ? 64 : static_cast<int>(type.getIntOrFloatBitWidth());
      p.dtype = type.isBF16() ? DType::bf16 : type.isF16() ? DType::f16 : type.isF32() ? DType::f32 : DType::f64;
    }
    parameters.push_back(p);
  }
  return !out.has_errors();
}

}  // namespace

bool lower(const Module& module, const std::string& entry, Kernel& kernel, Diagnostics& out) {
  if (!can_run(module, out)) return false;
  kernel.module = module.op.get().clone();
  kernel.name = entry;
  if (kernel.module->lookupSymbol(entry_symbol) || kernel.module->lookupSymbol(main_symbol))
    return out.error("ptox_call and ptox_main are names of ptox's own", {module.file, 0, 0}), false;
  auto function = kernel.module->lookupSymbol<func::FuncOp>(entry);
  if (function.getNumResults() != 0)
    return out.error("kernel @" + entry + " returns a value; a kernel writes to memory", place_of(function.getLoc())),
           false;
  return describe(function, kernel.parameters, out) && Lowering(kernel, out).run(entry);
}

}  // namespace ptox::assembly
