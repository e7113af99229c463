// SPDX-License-Identifier: Apache-2.0
// Inserts the missing flags and cache cleans into a kernel.
#include "asm/dialect/operands.hpp"
#include "asm/level/level.hpp"
#include "asm/sync/sync_build.hpp"
#include "mlir/IR/Builders.h"

namespace ptox::assembly {

using mlir::Operation;
using sync::Body;
using sync::Step;

namespace {

class Emitter {
 public:
  Emitter(const sync::Built& built, mlir::OpBuilder& builder) : built_(built), builder_(builder) {}

  /// Creates the operations for the inserted steps, between the operations of the file.
  void emit(const Body& body, mlir::Block& block) {
    Operation* before = nullptr;
    for (std::size_t i = 0; i < body.size();) {
      std::size_t end = i;
      while (end < body.size() && !body[end].operation) ++end;
      Operation* after = end < body.size() ? static_cast<Operation*>(body[end].operation) : nullptr;
      gap(body, i, end, before, after, block);
      if (after) regions(body[end], *after);
      before = after;
      i = end + 1;
    }
  }

 private:
  void regions(const Step& s, Operation& op) {
    for (std::size_t k = 0; k < s.bodies.size(); ++k) {
      mlir::Region& region = op.getRegion(static_cast<unsigned>(k));
      if (!region.empty()) emit(s.bodies[k], region.front());
    }
  }

  /// Creates the inserted steps between two operations of the file: set_flag directly after `before`; from the first
  /// other step on, directly before `after`.
  void gap(const Body& body, std::size_t begin, std::size_t end, Operation* before, Operation* after,
           mlir::Block& block) {
    if (before) builder_.setInsertionPointAfter(before);
    bool late = !before;
    for (std::size_t i = begin; i < end; ++i) {
      late = late || body[i].kind != Step::Kind::set;
      if (late) before_next(after, block);
      write(body[i], late ? after : before);
    }
  }
  void before_next(Operation* after, mlir::Block& block) {
    if (after)
      builder_.setInsertionPoint(after);
    else if (block.mightHaveTerminator() && block.back().hasTrait<mlir::OpTrait::IsTerminator>())
      builder_.setInsertionPoint(&block.back());
    else
      builder_.setInsertionPointToEnd(&block);
  }

  mlir::NamedAttribute word(const char* name, const char* kind, int index) {
    const auto value =
        PtoAttr::get(builder_.getContext(), kind, find_kind(kind)->values[static_cast<std::size_t>(index)]);
    return builder_.getNamedAttr(name, value);
  }
  void write(const Step& s, Operation* near) {
    const mlir::Location loc = near ? unnamed(near->getLoc()) : builder_.getUnknownLoc();
    if (s.kind == Step::Kind::barrier)
      create_op(builder_, loc, "barrier", {}, {}, {word("pipe", "pipe", s.src)});
    else if (s.kind == Step::Kind::clean)
      clean(s, loc);
    else
      create_op(builder_, loc, s.kind == Step::Kind::set ? "set_flag" : "wait_flag", {}, {},
                {word("src_pipe", "pipe", s.src), word("dst_pipe", "pipe", s.dst), word("event", "event", s.id)});
  }
  void clean(const Step& s, mlir::Location loc) {
    const mlir::Value memory = built_.memory[static_cast<std::size_t>(s.src)];
    create_op(builder_, loc, "dcci", {}, memory, {word("kind", "cache_line", ENTIRE_DATA_CACHE)});
    create_op(builder_, loc, "dsb", {}, {}, {word("kind", "mem_dsb", DSB_DDR)});
  }

  const sync::Built& built_;
  mlir::OpBuilder& builder_;
};

}  // namespace

bool insert_sync(Module& module, const Target& target, Diagnostics& out) {
  if (target.native) return true;
  bool ok = true;
  mlir::OpBuilder builder(module.context.get());
  for (auto function : module.op->getOps<mlir::func::FuncOp>()) {
    if (function.isExternal() || schematic_inside(function)) continue;
    sync::Built built = sync::build(function, target, out);
    ok = ok && built.ok;
    if (!built.ok) continue;
    sync::insert_flags(built.program, built.taken);
    Emitter(built, builder).emit(built.program.body, function.getBody().front());
  }
  return ok;
}

}  // namespace ptox::assembly
