// SPDX-License-Identifier: Apache-2.0
// The operands and staging tiles of a collective operation.
#pragma once

#include <optional>

#include "asm/group_rules.hpp"
#include "asm/operands.hpp"

namespace ptox::assembly {

/// Level 1 has no tiles that are written: there a collective says the types of its staging tiles.
inline constexpr llvm::StringLiteral staging_attribute = "staging";

/// The operands of a collective, whatever its form.
struct Collective {
  mlir::Value group, tensor;
  llvm::SmallVector<mlir::Value, 3> staging;
};
/// Nullopt for every other operation.
std::optional<Collective> collective_of(mlir::Operation* op);

/// The operation that makes the group, null when that is not in sight.
mlir::Operation* maker_of(mlir::Value group);
std::int64_t root_of(mlir::Operation* make_group);
int reduce_op_of(mlir::Operation* op);

/// As far as the text says them. One tensor for many ranks is the same place at each.
GroupOperands describe_group(mlir::Operation* op, const Collective& c);

/// A rank's tensor: as the group's maker has it, else what follows from the root's.
TensorDesc rank_tensor(mlir::Operation* op, const Collective& c);

}  // namespace ptox::assembly
