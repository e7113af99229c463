// SPDX-License-Identifier: Apache-2.0
// The bytes that an operand of an instruction may access, as far as they are known statically.
#pragma once

#include <map>
#include <optional>

#include "asm/dialect/dialect.hpp"

namespace ptox::assembly::sync {

/// A linear form: number + the sum of values times their factors.
struct Linear {
  std::int64_t number = 0;
  std::map<void*, std::int64_t> factors;  ///< by SSA value (opaque pointer)
};
std::optional<Linear> linear_of(mlir::Value value);

/// The range [begin, begin + size); std::nullopt if not known.
struct Extent {
  std::optional<Linear> begin;
  std::optional<std::int64_t> size;
};

struct Reach {
  int space = 0;  ///< a buffer of the core; -1: global memory
  // For a buffer:
  bool anywhere = false;
  llvm::SmallVector<std::pair<std::int64_t, std::int64_t>> bytes;
  // For global memory:
  mlir::Value memory;                         ///< the function argument of the memory; null: not known
  Extent extent;                              ///< in bytes from the start of `memory`
  mlir::Value view;                           ///< the outermost view that `sides` refer to; null: sides are not known
  llvm::SmallVector<Extent> sides;            ///< by dimension, in elements
  llvm::SmallVector<mlir::Operation*> loops;  ///< around the instruction, outermost first
};

/// The bytes of a tile: its valid region, or the whole tile if `whole`.
Reach reach_of_tile(mlir::Value tile, bool whole);
/// The bytes of a tensor. `by_sides`: the instruction accesses only elements within the extents of the view; `rows` and
/// `cols` limit them further if known.
Reach reach_of_tensor(mlir::Value tensor, bool by_sides, std::optional<std::int64_t> rows,
                      std::optional<std::int64_t> cols);

/// Whether the access b may overlap the earlier access a: in the same iteration of all loops around both (`carried` 0),
/// or with a in an earlier iteration of the loop number `carried`, counted from the outermost. With `unit`, both ranges
/// are enlarged to whole units of that many bytes, to which the start of each argument is aligned.
bool may_meet(const Reach& a, const Reach& b, int carried, std::int64_t unit = 1);

}  // namespace ptox::assembly::sync
