// SPDX-License-Identifier: Apache-2.0
// The operands and staging tiles of a collective operation.
#pragma once

#include <optional>

#include "asm/dialect/group_rules.hpp"
#include "asm/dialect/operands.hpp"

namespace ptox::assembly {

/// Attribute of a collective at Level 1, where no operand is a writable tile: it lists the types of the staging tiles.
inline constexpr llvm::StringLiteral staging_attribute = "staging";

/// The operands of a collective operation.
struct Collective {
  mlir::Value group, tensor;
  llvm::SmallVector<mlir::Value, 3> staging;
};
/// std::nullopt if `op` is not a collective.
std::optional<Collective> collective_of(mlir::Operation* op);

/// The make_group operation that defines the group; null if the group is defined by something else, such as an
/// argument.
mlir::Operation* maker_of(mlir::Value group);
std::int64_t root_of(mlir::Operation* make_group);
int reduce_op_of(mlir::Operation* op);

/// The operands of a collective as far as they are known statically. If make_group has a single tensor for several
/// ranks, `tensors` has one entry, which describes the same symmetric address on every rank.
GroupOperands describe_group(mlir::Operation* op, const Collective& c);

/// The tensor of one rank: the first operand of make_group if known, otherwise derived from the root's tensor.
TensorDesc rank_tensor(mlir::Operation* op, const Collective& c);

}  // namespace ptox::assembly
