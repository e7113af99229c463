// SPDX-License-Identifier: Apache-2.0
// The bytes that an operand of an instruction may touch, as far as the text determines them.
#pragma once

#include <map>
#include <optional>

#include "asm/dialect.hpp"

namespace ptox::assembly::sync {

/// number + the sum of values times their factors; nothing: not of that form.
struct Linear {
  std::int64_t number = 0;
  std::map<void*, std::int64_t> factors;  ///< by value
};
std::optional<Linear> linear_of(mlir::Value value);

/// From `begin` on, `size` long; nothing known: anywhere.
struct Extent {
  std::optional<Linear> begin;
  std::optional<std::int64_t> size;
};

struct Reach {
  int space = 0;  ///< a core's buffer; -1: global memory
  // In a buffer.
  bool anywhere = false;
  llvm::SmallVector<std::pair<std::int64_t, std::int64_t>> bytes;
  // In global memory.
  mlir::Value memory;                         ///< the argument that it belongs to; null: any
  Extent extent;                              ///< bytes from its start
  mlir::Value view;                           ///< the whole that `sides` are parts of; null: sides are not known
  llvm::SmallVector<Extent> sides;            ///< by dimension, elements
  llvm::SmallVector<mlir::Operation*> loops;  ///< around the instruction, from outside
};

/// Of a tile: its valid region, or all of it with `whole`.
Reach reach_of_tile(mlir::Value tile, bool whole);
/// Of a tensor. By its sides only when the instruction keeps to them; `rows` and `cols` of it where they are known.
Reach reach_of_tensor(mlir::Value tensor, bool by_sides, std::optional<std::int64_t> rows,
                      std::optional<std::int64_t> cols);

/// Whether b may touch what a touched before, in this iteration of all loops around both (carried 0) or in an earlier
/// one of the carried-th. By `unit` bytes: each touches all of those units that it has bytes of, and arguments begin at
/// one.
bool may_meet(const Reach& a, const Reach& b, int carried, std::int64_t unit = 1);

}  // namespace ptox::assembly::sync
