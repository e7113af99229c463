// SPDX-License-Identifier: Apache-2.0
// The live range of each tile in a function.
#pragma once

#include <map>
#include <optional>

#include "asm/dialect.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ptox::assembly {

/// Operations counted as they are written, both ends included.
struct Live {
  int first = 0, last = 0;
  bool meets(const Live& o) const { return first <= o.last && o.first <= last; }
};

class Order {
 public:
  explicit Order(mlir::func::FuncOp function);

  Live all() const { return {0, count_}; }
  /// From its first use to its last, by whatever name. A loop that uses a tile from outside needs it all the time, and
  /// so does one that hands it from an iteration to the next.
  Live live(mlir::Value tile) const;
  /// The place that a tassign gives it before it is used at all; nothing: there is no such tassign.
  std::optional<std::int64_t> assigned_first(mlir::Operation* alloc) const;

 private:
  Live extent(mlir::Operation* op) const { return extents_.at(op); }
  Live use(mlir::Operation* user, mlir::Value tile) const;
  std::map<mlir::Operation*, Live> extents_;
  int count_ = 0;
};

}  // namespace ptox::assembly
