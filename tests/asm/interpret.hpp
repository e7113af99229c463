// SPDX-License-Identifier: Apache-2.0
// Interprets a Level 2 kernel: walks its operations and issues each instruction with descriptors, without compiling it.
#pragma once

#include <map>
#include <stdexcept>
#include <vector>

#include "asm/dialect/operands.hpp"
#include "asm/text/module.hpp"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pto/isa/flags.hpp"

namespace ptox::assembly {

/// Runs a function once; arguments are pointers or numbers.
class Interpreter {
 public:
  union Argument {
    void* pointer;
    std::int64_t number;
  };
  Interpreter(mlir::func::FuncOp function, const std::vector<Argument>& arguments) : function_(function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      Cell c;
      c.pointer = arguments.at(i).pointer, c.number = arguments.at(i).number;
      put(function.getArgument(i), c);
    }
  }
  void run() { block(function_.getBody().front()); }

 private:
  struct Cell {
    std::int64_t number = 0;
    void* pointer = nullptr;
    TileDesc tile;
    TensorDesc tensor;
  };
  using Operation = mlir::Operation;

  void put(mlir::Value v, const Cell& c) { cells_[v.getAsOpaquePointer()] = c; }
  Cell& get(mlir::Value v) { return cells_.at(v.getAsOpaquePointer()); }
  std::int64_t number(mlir::OpFoldResult v) {
    if (const auto n = constant_of(v)) return *n;
    return get(mlir::cast<mlir::Value>(v)).number;
  }
  std::int64_t operand(Operation& op, unsigned i) { return number(mlir::OpFoldResult(op.getOperand(i))); }
  void put_number(Operation& op, std::int64_t n) {
    Cell c;
    c.number = n;
    put(op.getResult(0), c);
  }

  /// The values that the block yields.
  std::vector<Cell> block(mlir::Block& b) {
    std::vector<Cell> yielded;
    for (Operation& op : b) {
      if (mlir::isa<mlir::scf::YieldOp>(op))
        for (mlir::Value v : op.getOperands()) yielded.push_back(get(v));
      else if (is_pto(&op))
        pto_op(op);
      else
        plain_op(op);
    }
    return yielded;
  }

  void plain_op(Operation& op) {
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) return for_op(loop);
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) return if_op(branch);
    if (mlir::isa<mlir::func::ReturnOp>(op)) return;
    if (auto c = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
      const auto n = mlir::dyn_cast<mlir::IntegerAttr>(c.getValue());
      return put_number(op, n ? n.getInt() : 0);
    }
    arithmetic(op);
  }
  void arithmetic(Operation& op) {
    const std::int64_t a = operand(op, 0), b = op.getNumOperands() > 1 ? operand(op, 1) : 0;
    if (mlir::isa<mlir::arith::AddIOp>(op)) return put_number(op, a + b);
    if (mlir::isa<mlir::arith::SubIOp>(op)) return put_number(op, a - b);
    if (mlir::isa<mlir::arith::MulIOp>(op)) return put_number(op, a * b);
    if (mlir::isa<mlir::arith::RemUIOp>(op)) return put_number(op, a % b);
    if (mlir::isa<mlir::arith::AndIOp>(op)) return put_number(op, a & b);
    if (mlir::isa<mlir::arith::ShRUIOp>(op))
      return put_number(op, static_cast<std::int64_t>(static_cast<std::uint64_t>(a) >> b));
    if (mlir::isa<mlir::arith::IndexCastOp>(op)) return put_number(op, a);
    if (auto compare = mlir::dyn_cast<mlir::arith::CmpIOp>(op))
      return put_number(op, compare.getPredicate() == mlir::arith::CmpIPredicate::eq ? a == b : a != b);
    throw std::invalid_argument("the interpreter does not know " + op.getName().getStringRef().str());
  }

  void for_op(mlir::scf::ForOp loop) {
    std::vector<Cell> carried;
    for (mlir::Value v : loop.getInitArgs()) carried.push_back(get(v));
    const std::int64_t low = operand(*loop, 0), high = operand(*loop, 1), step = operand(*loop, 2);
    for (std::int64_t i = low; i < high; i += step) {
      Cell c;
      c.number = i;
      put(loop.getInductionVar(), c);
      for (std::size_t k = 0; k < carried.size(); ++k) put(loop.getRegionIterArg(static_cast<unsigned>(k)), carried[k]);
      carried = block(*loop.getBody());
    }
    for (std::size_t k = 0; k < carried.size(); ++k) put(loop.getResult(static_cast<unsigned>(k)), carried[k]);
  }
  void if_op(mlir::scf::IfOp branch) {
    mlir::Region& r = operand(*branch, 0) & 1 ? branch.getThenRegion() : branch.getElseRegion();
    if (r.empty()) return;
    const std::vector<Cell> values = block(r.front());
    for (std::size_t k = 0; k < values.size(); ++k) put(branch->getResult(static_cast<unsigned>(k)), values[k]);
  }

  int word(Operation& op, const char* name) { return op.getAttrOfType<PtoAttr>(name).index(); }
  void pto_op(Operation& op) {
    const llvm::StringRef base = base_name(&op);
    if (base == "make_tensor_view" || base == "partition_view") return view(op, base == "partition_view");
    if (base == "alloc_tile") return alloc(op);
    if (base == "set_flag") return set_flag(word(op, "src_pipe"), word(op, "dst_pipe"), word(op, "event"));
    if (base == "wait_flag") return wait_flag(word(op, "src_pipe"), word(op, "dst_pipe"), word(op, "event"));
    if (base == "barrier") return pipe_barrier(word(op, "pipe"));
    if (base == "dsb") return dsb(static_cast<mem_dsb_t>(word(op, "kind")));
    if (base == "dcci") return dcci(get(op.getOperand(0)).tensor.base, static_cast<cache_line_t>(word(op, "kind")));
    if (base == "tassign") return void(get(op.getOperand(0)).tile.offset = place(op));
    const auto fields = fields_of(&op);
    if (!fields) throw std::invalid_argument("the interpreter does not know pto." + base.str());
    with_instruction(*fields->form, [&]<class I>() { instruction<I>(op, *fields); });
  }
  std::int64_t place(Operation& op) {
    const auto offset = op.getAttrOfType<mlir::IntegerAttr>("offset");
    return offset ? offset.getInt() : operand(op, 1);
  }
  void view(Operation& op, bool part) {
    Cell c = get(op.getOperand(0));
    if (!part) c.tensor = describe_tensor(op.getResult(0)), c.tensor.base = c.pointer;
    const auto sizes = view_list(&op, part ? "sizes" : "shape"), others = view_list(&op, part ? "offsets" : "strides");
    std::int64_t first = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::size_t at = 5 - sizes.size() + i;
      c.tensor.shape[at] = number(sizes[i]);
      if (part)
        first += number(others[i]) * c.tensor.stride[at];
      else
        c.tensor.stride[at] = number(others[i]);
    }
    if (part) c.tensor.base = static_cast<std::byte*>(c.tensor.base) + first * pto::instr::size_of(c.tensor.dtype);
    put(op.getResult(0), c);
  }
  void alloc(Operation& op) {
    Cell c;
    c.tile = describe_tile(op.getResult(0));
    if (mlir::Value v = alloc_operand(&op, "addr")) c.tile.offset = number(mlir::OpFoldResult(v));
    if (mlir::Value v = alloc_operand(&op, "valid_row")) c.tile.valid_rows = number(mlir::OpFoldResult(v));
    if (mlir::Value v = alloc_operand(&op, "valid_col")) c.tile.valid_cols = number(mlir::OpFoldResult(v));
    put(op.getResult(0), c);
  }
  template <class I>
  void instruction(Operation& op, const Fields& fields) {
    if constexpr (requires(typename I::Operands o) { pto::instr::issue<I>(o, {}, true, {}); }) {
      auto o = operands_of<I>(&op, fields);
      std::size_t next = 0;
      I::OperandList::each(o, [&]<class F, class D>(F, D& desc) {
        const mlir::Value value = fields.values[next++];
        if (!value) return;
        if constexpr (std::is_same_v<D, TileDesc>)
          desc = get(value).tile;
        else
          desc = get(value).tensor;
      });
      pto::instr::issue<I>(o, pto::instr::legal_on<I>(o), true, pto::instr::Site::current());
    }
  }

  mlir::func::FuncOp function_;
  std::map<void*, Cell> cells_;
};

}  // namespace ptox::assembly
