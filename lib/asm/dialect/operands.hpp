// SPDX-License-Identifier: Apache-2.0
// Converts the operands of an operation to descriptors of the engine; what is not known statically is `unknown`.
#pragma once

#include <optional>
#include <vector>

#include "asm/dialect/dialect.hpp"
#include "pto/isa/all.hpp"

namespace ptox::assembly {

/// The values of a form's operands in the order of the instruction. An output that is the result of the operation is
/// that result; an absent optional operand is null.
struct Fields {
  const Form* form = nullptr;
  llvm::SmallVector<mlir::Value, 5> values;
  mlir::Value scalar;  ///< scalar operand of texpands
};
/// The operands of an instruction; std::nullopt for every other operation.
std::optional<Fields> fields_of(mlir::Operation* op);

/// The descriptor of a tile from its type; dynamic extents are `unknown`.
TileDesc describe_tile(mlir::Value tile);
/// The descriptor of a tensor from its type and the view operations that define it; run-time values are `unknown`.
TensorDesc describe_tensor(mlir::Value tensor);

/// Read policies from the attributes of an operation.
pto::instr::CoalesceChoice coalesce_of(mlir::Operation* op);
void read_policy(mlir::Operation* op, pto::instr::GatherPolicy& policy);
void read_policy(mlir::Operation* op, pto::instr::ScatterPolicy& policy);
void read_policy(mlir::Operation* op, pto::instr::MgatherMat::Policy& policy);
void read_policy(mlir::Operation* op, pto::instr::Tstore::Policy& policy);
void read_policy(mlir::Operation* op, pto::MaskPattern& policy);
inline void read_policy(mlir::Operation*, pto::instr::NoPolicy&) {}
inline void read_policy(mlir::Operation*, pto::instr::Texpands::Scalar&) {}

/// Descriptors and policies of one instruction. Coalesce is inferred if the shapes are known.
template <class I>
typename I::Operands operands_of(mlir::Operation* op, const Fields& fields) {
  typename I::Operands o{};
  std::size_t next = 0;
  I::OperandList::each(o, [&]<class F, class D>(F, D& desc) {
    const mlir::Value value = fields.values[next++];
    if constexpr (std::is_same_v<D, TileDesc>)
      desc = describe_tile(value);
    else if (value)
      desc = describe_tensor(value);
  });
  read_policy(op, o.policy);
  if constexpr (std::is_same_v<I, pto::instr::MgatherMat>)
    if (!fields.values[3] || o.policy.coalesce.row()) o.scratch = o.table;  // Row has no scratch operand
  return pto::instr::resolved<I>(o);
}

/// Calls visit.template operator()<I>() with the instruction of that form.
template <class V>
void with_instruction(const Form& form, V&& visit) {
  int id = 0;
  pto::instr::AllInstructions::each([&]<class I>() {
    if constexpr (requires(typename I::Operands o) { o.policy; })
      if (id == form.id) visit.template operator()<I>();
    ++id;
  });
}

/// Whether an operand or result type of the operation is schematic.
bool has_schematic(mlir::Operation* op);
/// Whether that holds for an operation in the regions of `op`.
bool schematic_inside(mlir::Operation* op);

}  // namespace ptox::assembly
