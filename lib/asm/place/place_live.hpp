// SPDX-License-Identifier: Apache-2.0
// The live range of each tile in a function.
#pragma once

#include <map>
#include <optional>

#include "asm/dialect/dialect.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ptox::assembly {

/// An interval of operation numbers, both ends included. Operations are numbered in source order.
struct Live {
  int first = 0, last = 0;
  bool meets(const Live& o) const { return first <= o.last && o.first <= last; }
};

class Order {
 public:
  explicit Order(mlir::func::FuncOp function);

  Live all() const { return {0, count_}; }
  /// The interval from the first to the last use of the tile or of a value that may be the tile. A use in a loop of a
  /// tile from outside, or of one that the loop carries, extends to the whole loop.
  Live live(mlir::Value tile) const;
  /// The constant address of a tassign that precedes every other use of the tile; std::nullopt if there is none.
  std::optional<std::int64_t> assigned_first(mlir::Operation* alloc) const;

 private:
  Live extent(mlir::Operation* op) const { return extents_.at(op); }
  Live use(mlir::Operation* user, mlir::Value tile) const;
  std::map<mlir::Operation*, Live> extents_;
  int count_ = 0;
};

}  // namespace ptox::assembly
