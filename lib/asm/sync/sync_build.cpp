// SPDX-License-Identifier: Apache-2.0
#include "asm/sync/sync_build.hpp"

#include "asm/dialect/operands.hpp"
#include "asm/sync/sync_reach.hpp"
#include "asm/text/module.hpp"
#include "engine/memory/data_cache.hpp"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pto/isa/sync.hpp"

namespace ptox::assembly::sync {

using mlir::Operation;
using mlir::Value;
using pto::instr::Role;
using pto::instr::Tprefetch;

namespace {

/// A memory access of an instruction, before it is numbered.
struct Touch {
  Value value;
  pipe_t pipe;
  pto::instr::Access kind;
  bool plain;
  Reach reach;
};

template <class I, class F>
constexpr bool holds_indices() {
  if constexpr (requires { typename I::Idx; }) return std::is_same_v<F, typename I::Idx>;
  return false;
}

/// The kind of access to an operand with that role.
template <class I>
pto::instr::Access way(Role role, const typename I::Operands& o) {
  using pto::instr::Access;
  if (role == Role::in) return Access::read;
  if constexpr (requires { o.policy.op; })
    if (o.policy.op != pto::ScatterAtomicOp::None) return Access::update;
  if constexpr (requires { o.policy.atomic; })
    if (o.policy.atomic != pto::AtomicType::AtomicNone) return Access::update;
  return Access::write;
}

std::optional<std::int64_t> if_known(std::int64_t n) { return pto::instr::known(n) ? std::optional(n) : std::nullopt; }

constexpr int most_rounds = 4;  // iterations of a counted loop that are followed one by one; the rest is a fixed point

class Builder {
 public:
  Builder(const Target& target, Diagnostics& out) : target_(target), out_(out) {}

  Built run(mlir::func::FuncOp function) {
    built_.program.body = steps(function.getBody().front());
    if (built_.ok) relate();
    return std::move(built_);
  }

 private:
  Body steps(mlir::Block& block) {
    Body body;
    for (Operation& op : block) step(op, body);
    return body;
  }

  void step(Operation& op, Body& body) {
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) return body.push_back(loop_step(loop));
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) return body.push_back(branch_step(branch));
    if (mlir::isa<mlir::func::CallOp>(op)) return opaque(op, body);
    if (op.getNumRegions() > 0 && !is_pto(&op)) return refuse(op);
    if (!is_pto(&op)) return;
    const llvm::StringRef base = base_name(&op);
    if (base.starts_with("section.")) return section(op, body);
    if (const auto fields = fields_of(&op)) return body.push_back(work(op, *fields));
    if (has_operation(base) && llvm::any_of(op.getOperandTypes(), is_group)) return opaque(op, body);
    if (auto s = ordering(op, base)) body.push_back(*s);
  }

  void refuse(Operation& op) {
    out_.error("insert-sync follows scf.for and scf.if; here is '" + op.getName().getStringRef().str() +
                   "'. Write its flags by hand and leave --insert-sync out, or make it one of those",
               place_of(op.getLoc()));
    built_.ok = false;
  }
  static Step at(Operation& op, Step::Kind kind) {
    Step s;
    s.kind = kind, s.operation = &op;
    return s;
  }
  /// An operation that is not followed, such as a call: barriers on all pipes before and after it.
  static void opaque(Operation& op, Body& body) {
    Step barrier;
    barrier.kind = Step::Kind::barrier, barrier.src = PIPE_ALL;
    body.push_back(barrier);
    body.push_back(at(op, Step::Kind::opaque));
    body.push_back(barrier);
  }
  void section(Operation& op, Body& body) {
    Step s = at(op, Step::Kind::section);
    s.bodies.push_back(steps(op.getRegion(0).front()));
    body.push_back(std::move(s));
  }
  Step loop_step(mlir::scf::ForOp loop) {
    Step s = at(*loop, Step::Kind::loop);
    const auto low = constant_of(loop.getLowerBound()), high = constant_of(loop.getUpperBound()),
               by = constant_of(loop.getStep());
    const bool counted = low && high && by && *by > 0;
    int times = 0;
    for (__int128 at = low.value_or(0); counted && at < *high && times <= most_rounds; at += *by) ++times;
    s.least = std::min(times, most_rounds);
    s.more = !counted || times > most_rounds;
    s.low = static_cast<int>(built_.program.accesses.size());
    loops_.push_back(loop);
    around_.push_back(next_loop_++);
    s.depth = static_cast<int>(loops_.size());
    s.bodies.push_back(steps(*loop.getBody()));
    loops_.pop_back(), around_.pop_back();
    s.high = static_cast<int>(built_.program.accesses.size());
    return s;
  }
  Step branch_step(mlir::scf::IfOp branch) {
    Step s = at(*branch, Step::Kind::branch);
    s.bodies.push_back(steps(branch.getThenRegion().front()));
    s.bodies.push_back(branch.getElseRegion().empty() ? Body() : steps(branch.getElseRegion().front()));
    return s;
  }

  static pipe_t pipe(Operation& op, llvm::StringRef name) {
    const auto word = op.getAttrOfType<PtoAttr>(name);
    return word ? word.index() : 0;
  }
  /// The step for a flag, event, barrier or cache operation of the file; std::nullopt for other operations.
  std::optional<Step> ordering(Operation& op, llvm::StringRef base) {
    if (base == "barrier") {
      Step s = at(op, Step::Kind::barrier);
      s.src = pipe(op, "pipe");
      return s;
    }
    if (base == "dcci" || base == "dsb") {
      const int kind = pipe(op, "kind");
      const bool counts = base == "dcci" ? kind == ENTIRE_DATA_CACHE : kind != DSB_UB;
      return counts ? std::optional(at(op, base == "dcci" ? Step::Kind::flush : Step::Kind::settle)) : std::nullopt;
    }
    const bool event = base == "record_event" || base == "wait_event";
    if (!event && base != "set_flag" && base != "wait_flag") return std::nullopt;
    Step s = at(op, base == "set_flag" || base == "record_event" ? Step::Kind::set : Step::Kind::wait);
    s.src = event ? pto::instr::pipe_of(target_, static_cast<pto::Op>(pipe(op, "src_op"))) : pipe(op, "src_pipe");
    s.dst = event ? pto::instr::first_pipe_of(target_, static_cast<pto::Op>(pipe(op, "dst_op"))) : pipe(op, "dst_pipe");
    s.id = pipe(op, "event");
    if (s.src == s.dst) return std::nullopt;
    built_.taken.by[s.src][s.dst] |= static_cast<std::uint8_t>(1 << s.id);
    return s;
  }

  Step work(Operation& op, const Fields& fields) {
    Step s = at(op, Step::Kind::work);
    if (has_schematic(&op)) return s;
    std::vector<Touch> touches;
    with_instruction(*fields.form, [&]<class I>() { touches = touches_of<I>(op, fields, s.own); });
    for (Touch& t : touches) s.accesses.push_back(number(t));
    const auto take = [&](const auto& list) {
      for (const pto::instr::FlagPair& f : list)
        if (f.src != f.dst) built_.taken.by[f.src][f.dst] |= 1;
    };
    take(s.own.before), take(s.own.after);
    return s;
  }

  template <class I>
  std::vector<Touch> touches_of(Operation& op, const Fields& fields, pto::instr::OwnFlags& own) {
    std::vector<Touch> all;
    if constexpr (requires(typename I::Operands o) { I::pipes(target_, o); }) {
      const auto o = operands_of<I>(&op, fields);
      const auto pipes = I::pipes(target_, o);
      if constexpr (requires { I::own_flags(target_, o); }) own = I::own_flags(target_, o);
      bool plain = false;
      if constexpr (requires { I::updates_plainly(target_, o); }) plain = I::updates_plainly(target_, o);
      std::size_t next = 0;
      I::OperandList::each(o, [&]<class F, class D>(F, const D&) {
        const Value value = fields.values[next++];
        const bool untouched = std::is_same_v<I, Tprefetch> && F::role == Role::scratch;
        if (!value || untouched) return;
        const pipe_t pipe = holds_indices<I, F>() ? pipes.index : pipes.data;
        all.push_back({value, pipe, way<I>(F::role, o), plain, reach<I, D>(value, o)});
        all.back().reach.loops = {loops_.begin(), loops_.end()};
      });
    }
    return all;
  }

  template <class I, class D>
  Reach reach(Value value, const typename I::Operands& o) {
    if constexpr (std::is_same_v<D, TileDesc>) {
      const bool pads = std::is_same_v<I, pto::instr::Tload> || std::is_same_v<I, pto::instr::Mgather>;
      return reach_of_tile(value, pads && describe_tile(value).pad != pto::PadValue::Null);
    } else if constexpr (std::is_same_v<I, pto::instr::Tstore>) {
      return reach_of_tensor(value, true, if_known(o.src.valid_rows), if_known(o.src.valid_cols));
    } else if constexpr (std::is_same_v<I, pto::instr::Tload> || std::is_same_v<I, Tprefetch>) {
      return reach_of_tensor(value, true, if_known(o.dst.valid_rows), if_known(o.dst.valid_cols));
    } else {
      return reach_of_tensor(value, false, std::nullopt, std::nullopt);  // some targets assume packed rows
    }
  }

  int number(Touch& t) {
    Program& p = built_.program;
    Access a;
    a.pipe = t.pipe, a.kind = t.kind, a.plain = t.plain, a.global = t.reach.space < 0;
    a.first = p.facts, a.loops = static_cast<int>(loops_.size()), a.around = around_;
    const int n = static_cast<int>(p.accesses.size());
    p.facts += a.loops + 1;
    p.access_of.resize(static_cast<std::size_t>(p.facts), n);
    p.accesses.push_back(a);
    built_.memory.push_back(a.global ? t.value : Value());
    reaches_.push_back(std::move(t.reach));
    return n;
  }

  /// Computes which accesses conflict, and which touch the same bytes or cache lines of global memory.
  void relate() {
    Program& p = built_.program;
    p.scalar_stores = Bits(p.facts);
    const int count = static_cast<int>(p.accesses.size());
    for (int b = 0; b < count; ++b) {
      p.conflicts.emplace_back(p.facts), p.overlaps.emplace_back(count), p.lines.emplace_back(count);
      for (int a = 0; a < count; ++a) relate(a, b);
      const Access& access = p.accesses[static_cast<std::size_t>(b)];
      for (int v = 0; v <= access.loops && access.scalar_store(); ++v) p.scalar_stores.add(access.first + v);
    }
    own_conflicts(p.body);
  }
  void relate(int a, int b) {
    Program& p = built_.program;
    const Access &x = p.accesses[static_cast<std::size_t>(a)], &y = p.accesses[static_cast<std::size_t>(b)];
    const Reach &from = reaches_[static_cast<std::size_t>(a)], &to = reaches_[static_cast<std::size_t>(b)];
    const bool atomics = x.atomic() && y.atomic();
    const bool conflict = x.pipe != y.pipe && (x.writes() || y.writes()) && !atomics;
    for (int v = 0; v <= x.loops; ++v) {
      if (conflict && may_meet(from, to, v)) p.conflicts[static_cast<std::size_t>(b)].add(x.first + v);
      if (!x.global || !y.global) continue;
      if (may_meet(from, to, v)) p.overlaps[static_cast<std::size_t>(b)].add(a);
      if (may_meet(from, to, v, cache_line_bytes)) p.lines[static_cast<std::size_t>(b)].add(a);
    }
  }
  /// The accesses of one instruction are ordered among themselves, so they do not conflict.
  void own_conflicts(const Body& body) {
    Program& p = built_.program;
    for (const Step& s : body) {
      for (int b : s.accesses)
        for (int a : s.accesses)
          p.conflicts[static_cast<std::size_t>(b)].remove(p.accesses[static_cast<std::size_t>(a)].first);
      for (const Body& inner : s.bodies) own_conflicts(inner);
    }
  }

  const Target& target_;
  Diagnostics& out_;
  Built built_;
  std::vector<Operation*> loops_;
  std::vector<int> around_;  ///< the numbers of the loops in loops_
  int next_loop_ = 0;
  std::vector<Reach> reaches_;
};

}  // namespace

Built build(mlir::func::FuncOp function, const Target& target, Diagnostics& out) {
  return Builder(target, out).run(function);
}

}  // namespace ptox::assembly::sync
