// SPDX-License-Identifier: Apache-2.0
// Creates staging tiles for collectives that do not name any.
#include <algorithm>

#include "asm/dialect/collective.hpp"
#include "asm/level/level.hpp"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

using mlir::Operation;
using mlir::Type;
using mlir::Value;
using pto::instr::known;

namespace {

constexpr std::int64_t most_bytes = 32 * 1024, block_bytes = 32;
constexpr std::int64_t line_bytes = 1024;  // length of a row if the tensor's extent is dynamic

struct Side {
  std::int64_t along, across;  ///< elements in a contiguous row, and number of rows
};
/// The part of a tensor that fits into most_bytes, with rows of whole 32-byte blocks.
Side cut(std::int64_t along, std::int64_t across, std::int64_t element) {
  const std::int64_t unit = block_bytes / element, most = most_bytes / element;
  Side s{known(along) ? std::clamp<std::int64_t>(along, 1, most) : line_bytes / element, most};
  s.along = (s.along + unit - 1) / unit * unit;
  s.across = std::clamp<std::int64_t>(known(across) ? across : most, 1, std::max<std::int64_t>(1, most / s.along));
  return s;
}

std::int64_t all_rows(const TensorDesc& t) {
  const std::int64_t* n = t.shape;
  if (!known(n[0]) || !known(n[1]) || !known(n[2]) || !known(n[3])) return pto::instr::unknown;
  const std::int64_t rows = pto::instr::checked_product(n[0], n[1], n[2], n[3]);
  return rows < 0 ? pto::instr::unknown : rows;
}

/// The tile type for the tensor of a rank. Its valid extents are dynamic, because the last chunk may be smaller.
TypeSpec tile_for(const TensorDesc& t) {
  TypeSpec spec;
  spec.kind = TypeSpec::Kind::tile_buf, spec.dtype = t.dtype;
  const bool columns = t.layout == pto::Layout::DN;
  const std::int64_t element = pto::instr::size_of(t.dtype);
  const Side s = columns ? cut(t.shape[3], t.shape[4], element) : cut(t.shape[4], all_rows(t), element);
  spec.tile = {.dtype = t.dtype, .rows = columns ? s.along : s.across, .cols = columns ? s.across : s.along};
  spec.tile.valid_rows = spec.tile.valid_cols = pto::instr::unknown;
  if (columns) spec.tile.blayout = pto::BLayout::ColMajor;
  return spec;
}

class Stager {
 public:
  Stager(bool defaults, Diagnostics& out) : defaults_(defaults), out_(out) {}

  bool stage(Operation* op, const Collective& c) {
    if (!c.staging.empty() || has_schematic(op)) return true;
    llvm::SmallVector<Type> types;
    if (const auto written = op->getAttrOfType<mlir::ArrayAttr>(staging_attribute)) {
      for (mlir::Attribute a : written) types.push_back(as_buffer(mlir::cast<mlir::TypeAttr>(a).getValue()));
    } else if (defaults_) {
      const TensorDesc t = rank_tensor(op, c);
      if (t.layout == pto::Layout::NZ)
        return out_.error(base_name(op).str() + " of nz tensors gets no staging tile automatically. Write one",
                          place_of(op->getLoc())),
               false;
      types.assign(base_name(op) == "treduce" ? 2 : 1, PtoType::get(op->getContext(), tile_for(t)));
    }
    add(op, types);
    return true;
  }

 private:
  static Type as_buffer(Type type) {
    TypeSpec spec = *spec_of(type);
    spec.kind = TypeSpec::Kind::tile_buf;
    return PtoType::get(type.getContext(), spec);
  }
  static void add(Operation* op, llvm::ArrayRef<Type> types) {
    llvm::SmallVector<Value> operands(op->getOperands());
    for (Type type : types) operands.push_back(alloc(op, type));
    op->setOperands(operands);
    if (!types.empty()) op->removeAttr(staging_attribute);
  }
  /// Allocates the tile; dynamic valid extents start as the full extents.
  static Value alloc(Operation* before, Type type) {
    mlir::OpBuilder builder(before);
    const TileDesc& t = spec_of(type)->tile;
    const auto extent = [&](std::int64_t valid, std::int64_t padded) -> Value {
      if (known(valid)) return {};
      return builder.create<mlir::arith::ConstantIndexOp>(builder.getUnknownLoc(), padded);
    };
    const Value rows = extent(t.valid_rows, t.rows), cols = extent(t.valid_cols, t.cols);
    mlir::OperationState state(named(unnamed(before->getLoc()), "staging"), "pto.alloc_tile");
    set_alloc_operands(state, {}, rows, cols);
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }

  bool defaults_;
  Diagnostics& out_;
};

}  // namespace

bool stage_collectives(Module& module, bool defaults, Diagnostics& out) {
  llvm::SmallVector<std::pair<Operation*, Collective>> all;
  module.op.get().walk([&](Operation* op) {
    if (auto c = collective_of(op)) all.emplace_back(op, *c);
  });
  bool ok = true;
  for (const auto& [op, c] : all) ok = Stager(defaults, out).stage(op, c) && ok;
  return ok;
}

}  // namespace ptox::assembly
