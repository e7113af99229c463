// SPDX-License-Identifier: Apache-2.0
#include "asm/dialect/operands.hpp"

namespace ptox::assembly {

using pto::instr::unknown;

std::optional<Fields> fields_of(mlir::Operation* op) {
  const llvm::StringRef base = base_name(op);
  const bool has_result = op->getNumResults() == 1, masked = op->hasAttr("maskPattern");
  const unsigned count = op->getNumOperands();
  for (const Form* form : forms_of({base.data(), base.size()})) {
    if (form->takes_mask != masked) continue;
    Fields f{form, {}, {}};
    f.values.resize(form->operands.size());
    unsigned next = 0;
    if (form->takes_scalar && next < count && !spec_of(op->getOperand(next).getType()))
      f.scalar = op->getOperand(next++);
    if (form->takes_scalar && !f.scalar) continue;
    bool fits = true;
    const auto take = [&](std::size_t field, bool optional) {
      const auto fitting = [&](mlir::Type t) { return form->operands[field].tile ? is_tile(t) : is_tensor(t); };
      if (next < count && fitting(op->getOperand(next).getType()))
        f.values[field] = op->getOperand(next++);
      else
        fits &= optional;
    };
    for (std::size_t i = 1; i < form->operands.size(); ++i)
      take(i, form->operands[i].role == pto::instr::Role::scratch);
    if (has_result)
      f.values[0] = op->getResult(0);
    else
      take(0, false);
    if (fits && next == count) return f;
  }
  return std::nullopt;
}

TileDesc describe_tile(mlir::Value tile) {
  const TypeSpec* spec = spec_of(tile.getType());
  return spec ? spec->tile : TileDesc{};
}

namespace {

void put(std::int64_t (&five)[5], const llvm::SmallVector<mlir::OpFoldResult>& list) {
  for (std::size_t i = 0; i < list.size() && i < 5; ++i)
    five[5 - list.size() + i] = constant_of(list[i]).value_or(unknown);
}

/// Limit for chains of views. In unreachable code an operation may be its own operand; then only the type is used.
constexpr int longest_chain = 1000;

TensorDesc described(mlir::Value tensor, int views) {
  const TypeSpec* spec = spec_of(tensor.getType());
  if (!spec) return {};
  TensorDesc t = spec->tensor();
  mlir::Operation* made_by = tensor.getDefiningOp();
  const llvm::StringRef base = made_by ? base_name(made_by) : "";
  if (base == "make_tensor_view") {
    TensorDesc written = t;
    put(written.shape, view_list(made_by, "shape"));
    for (int i = 0; i < 5; ++i)
      if (t.shape[i] == unknown) t.shape[i] = written.shape[i];
    put(t.stride, view_list(made_by, "strides"));
    if (const PtoAttr layout = policy_attr(made_by, "layout")) t.layout = static_cast<pto::Layout>(layout.index());
    const std::size_t rank = view_list(made_by, "strides").size();
    for (std::size_t i = 5 - std::min<std::size_t>(rank, 5); i-- > 0;)  // missing outer dimensions: packed
      t.stride[i] = pto::instr::all_known(t.stride[i + 1], t.shape[i + 1])
                        ? pto::instr::checked_product(t.stride[i + 1], t.shape[i + 1])
                        : unknown;
  } else if (base == "partition_view" && views < longest_chain) {
    const TensorDesc source = described(made_by->getOperand(0), views + 1);
    TensorDesc written = t;
    put(written.shape, view_list(made_by, "sizes"));
    for (int i = 0; i < 5; ++i)
      if (t.shape[i] == unknown) t.shape[i] = written.shape[i];
    std::copy(std::begin(source.stride), std::end(source.stride), t.stride);
    t.layout = source.layout;
  }
  if (base == "at_rank" && views < longest_chain) return described(made_by->getOperand(0), views + 1);
  t.static_block = pto::instr::all_known(t.shape[3], t.shape[4]);
  return t;
}

}  // namespace

TensorDesc describe_tensor(mlir::Value tensor) { return described(tensor, 0); }

pto::instr::CoalesceChoice coalesce_of(mlir::Operation* op) {
  const PtoAttr a = policy_attr(op, "coalesce");
  return {.mode = a ? static_cast<pto::Coalesce>(a.index()) : pto::Coalesce::Row, .open = !a};
}
namespace {
template <class E>
E choice(mlir::Operation* op, llvm::StringRef kind) {
  const PtoAttr a = policy_attr(op, kind);
  return static_cast<E>(a ? a.index() : 0);
}
}  // namespace
void read_policy(mlir::Operation* op, pto::instr::GatherPolicy& p) {
  p = {.coalesce = coalesce_of(op), .oob = choice<pto::GatherOOB>(op, "gather_oob")};
}
void read_policy(mlir::Operation* op, pto::instr::ScatterPolicy& p) {
  p = {.coalesce = coalesce_of(op),
       .op = choice<pto::ScatterAtomicOp>(op, "scatter_atomic_op"),
       .oob = choice<pto::ScatterOOB>(op, "scatter_oob"),
       .conflict = choice<pto::ScatterConflict>(op, "scatter_conflict"),
       .conflict_spelled = policy_attr(op, "scatter_conflict") != nullptr};
}
void read_policy(mlir::Operation* op, pto::instr::MgatherMat::Policy& p) {
  p.coalesce = coalesce_of(op);
  p.coalesce.open = false;  // Coalesce::Row unless the attribute is present
  p.oob = choice<pto::GatherOOB>(op, "gather_oob");
  p.exec = choice<pto::GatherExec>(op, "gather_exec");
  p.exec_spelled = policy_attr(op, "gather_exec") != nullptr;
}
void read_policy(mlir::Operation* op, pto::instr::Tstore::Policy& p) {
  p.atomic = choice<pto::AtomicType>(op, "atomic_type");
}
void read_policy(mlir::Operation* op, pto::MaskPattern& p) { p = choice<pto::MaskPattern>(op, "mask_pattern"); }

bool has_schematic(mlir::Operation* op) {
  const auto schematic = [](mlir::Type t) { return is_schematic(t); };
  return llvm::any_of(op->getOperandTypes(), schematic) || llvm::any_of(op->getResultTypes(), schematic);
}

bool schematic_inside(mlir::Operation* op) {
  const auto stop = [](mlir::Operation* inner) {
    return has_schematic(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  };
  return op->walk(stop).wasInterrupted();
}

}  // namespace ptox::assembly
