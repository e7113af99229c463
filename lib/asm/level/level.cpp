// SPDX-License-Identifier: Apache-2.0
#include "asm/level/level.hpp"

#include "asm/level/level_types.hpp"
#include "asm/text/module.hpp"

namespace ptox::assembly {

using mlir::Operation;
using mlir::Type;
using mlir::Value;

bool of_kind(Type type, TypeSpec::Kind kind) { return is_tile(type) && spec_of(type)->kind == kind; }

Type with_kind(Type type, TypeSpec::Kind kind) {
  if (!is_tile(type) || is_schematic(type)) return type;
  TypeSpec spec = *spec_of(type);
  spec.kind = kind;
  return PtoType::get(type.getContext(), spec);
}

void convert_types(mlir::func::FuncOp function, TypeSpec::Kind kind) {
  const auto convert = [&](Value v) { v.setType(with_kind(v.getType(), kind)); };
  const auto list = [&](mlir::TypeRange types) {
    llvm::SmallVector<Type> out;
    for (Type t : types) out.push_back(with_kind(t, kind));
    return out;
  };
  function.walk([&](Operation* op) {
    for (Value v : op->getResults()) convert(v);
    for (mlir::Region& r : op->getRegions())
      for (mlir::Block& b : r)
        for (Value v : b.getArguments()) convert(v);
  });
  const mlir::FunctionType type = function.getFunctionType();
  function.setType(mlir::FunctionType::get(type.getContext(), list(type.getInputs()), list(type.getResults())));
}

namespace {

template <class Judge>
bool some_type(mlir::func::FuncOp function, Judge&& judge) {
  const auto stops = [&](Operation* op) {
    bool found = llvm::any_of(op->getOperandTypes(), judge) || llvm::any_of(op->getResultTypes(), judge);
    for (mlir::Region& r : op->getRegions())
      for (mlir::Block& b : r) found = found || llvm::any_of(b.getArgumentTypes(), judge);
    return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  };
  return function.walk(stops).wasInterrupted();
}

}  // namespace

bool is_schematic(mlir::func::FuncOp function) {
  return some_type(function, [](Type t) { return is_schematic(t); });
}
bool has_kind(mlir::func::FuncOp function, TypeSpec::Kind kind) {
  return some_type(function, [&](Type t) { return of_kind(t, kind); });
}

mlir::scf::ForOp resized(mlir::scf::ForOp loop, mlir::ValueRange inits) {
  mlir::OpBuilder builder(loop);
  auto fresh = builder.create<mlir::scf::ForOp>(loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                                loop.getStep(), inits);
  for (const mlir::NamedAttribute a : loop->getAttrs()) fresh->setAttr(a.getName(), a.getValue());
  mlir::Block &from = *loop.getBody(), &to = *fresh.getBody();
  to.clear();
  to.getOperations().splice(to.end(), from.getOperations());
  for (unsigned i = 0; i < from.getNumArguments() && i < to.getNumArguments(); ++i) {
    to.getArgument(i).setLoc(from.getArgument(i).getLoc());
    from.getArgument(i).replaceAllUsesWith(to.getArgument(i));
  }
  for (unsigned i = 0; i < loop.getNumResults() && i < fresh.getNumResults(); ++i)
    loop.getResult(i).replaceAllUsesWith(fresh.getResult(i));
  return fresh;
}

std::string tile_text_of(Value tile) {
  const std::string name = name_of(tile);
  return name.empty() ? "a tile" : "%" + name;
}

}  // namespace ptox::assembly
