// SPDX-License-Identifier: Apache-2.0
// Converts the operands of an operation to descriptors of the engine, as far as the text determines them.
#pragma once

#include <optional>
#include <vector>

#include "asm/dialect.hpp"
#include "pto/isa/all.hpp"

namespace ptox::assembly {

/// The values behind a form's operands, in the instruction's order: the result stands for what it writes, an operand
/// that may be left out is null.
struct Fields {
  const Form* form = nullptr;
  llvm::SmallVector<mlir::Value, 5> values;
  mlir::Value scalar;  ///< of texpands
};
/// Of an instruction with tile or tensor operands; nullopt for every other operation.
std::optional<Fields> fields_of(mlir::Operation* op);

/// A tile as its type has it; open extents are unknown.
TileDesc describe_tile(mlir::Value tile);
/// A tensor as its type, and the views it came from, have it; what only a run knows is unknown.
TensorDesc describe_tensor(mlir::Value tensor);

/// Policies as attributes spell them.
pto::instr::CoalesceChoice coalesce_of(mlir::Operation* op);
void read_policy(mlir::Operation* op, pto::instr::GatherPolicy& policy);
void read_policy(mlir::Operation* op, pto::instr::ScatterPolicy& policy);
void read_policy(mlir::Operation* op, pto::instr::MgatherMat::Policy& policy);
void read_policy(mlir::Operation* op, pto::instr::Tstore::Policy& policy);
void read_policy(mlir::Operation* op, pto::MaskPattern& policy);
inline void read_policy(mlir::Operation*, pto::instr::NoPolicy&) {}
inline void read_policy(mlir::Operation*, pto::instr::Texpands::Scalar&) {}

/// Descriptors and policies for one instruction, coalesce inferred where the shapes are known.
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
    if (!fields.values[3] || o.policy.coalesce.row()) o.scratch = o.table;  // Row needs none
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

/// Whether a type of an operation, or of what it results in, is schematic.
bool has_schematic(mlir::Operation* op);
/// The same of any operation in its regions.
bool schematic_inside(mlir::Operation* op);

}  // namespace ptox::assembly
