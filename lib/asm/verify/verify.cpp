// SPDX-License-Identifier: Apache-2.0
#include "asm/verify/verify.hpp"

#include "asm/dialect/collective.hpp"
#include "pto/tile/tile_type.hpp"

namespace ptox::assembly {

using mlir::Operation;
using pto::instr::Text;

namespace {

/// The first broken rule, with a message such as "mgather C3: idx elements are i32 or u32; idx is i16". The message is
/// empty if every rule holds.
template <class I>
Broken broken_rule(const Target& target, const typename I::Operands& o) {
  Broken broken;
  I::Rules::each([&]<class R>() {
    if (!broken.message.empty() || R::holds(target, o)) return;
    Text values;
    R::shows(values, target, o);
    broken = {std::string(I::mnemonic) + " " + R::label.code + ": " + R::label.sentence + "; " + values.c_str(),
              FindingKind::illegal, R::label.code};
  });
  return broken;
}

std::string extent_or_question_mark(std::int64_t n) { return pto::instr::known(n) ? std::to_string(n) : "?"; }

/// Checks that all targets address the table alike. Some use all five extents and strides, some only the last two, and
/// some assume packed rows.
Broken table_differs(const char* mnemonic, const TensorDesc& t) {
  const auto is = [](std::int64_t a, std::int64_t b) { return pto::instr::may_equal(a, b); };
  if (!is(t.shape[0], 1) || !is(t.shape[1], 1) || !is(t.shape[2], 1))
    return {std::string(mnemonic) + " P1: table is Shape<1,1,1,R,W>; its outer extents are " +
                extent_or_question_mark(t.shape[0]) + ", " + extent_or_question_mark(t.shape[1]) + ", " +
                extent_or_question_mark(t.shape[2]),
            FindingKind::illegal, "P1"};
  if (!is(t.stride[4], 1) || !is(t.stride[3], t.shape[4]))
    return {std::string(mnemonic) + " P2: table rows are packed; Stride[3] is " + extent_or_question_mark(t.stride[3]) +
                ", Stride[4] is " + extent_or_question_mark(t.stride[4]) + ", Shape[4] is " +
                extent_or_question_mark(t.shape[4]),
            FindingKind::illegal, "P2"};
  return {};
}

/// Portability rules of instructions that behave differently on the targets.
template <class I>
Broken broken_portability(const typename I::Operands& o) {
  if constexpr (requires { o.table; }) return table_differs(I::mnemonic, o.table);
  return {};
}

class Verifier {
 public:
  Verifier(const Module& module, Diagnostics& out) : module_(module), out_(out) {}

  /// Checks the rules of every instruction and of every collective.
  void run(const std::function<Broken(Operation*, const Fields&)>& judge,
           const std::function<Broken(const GroupOperands&)>& judge_group) {
    module_.op.get().walk<mlir::WalkOrder::PreOrder>([&](Operation* op) {
      if (!is_pto(op)) return;
      if (base_name(op) == "unknown") return error(op, unknown_text(op));
      if (const std::string fault = tile_fault(op); !fault.empty()) return error(op, fault);
      if (has_schematic(op)) return;
      if (const auto collective = collective_of(op)) {
        error(op, judge_group(describe_group(op, *collective)));
      }
      const auto fields = fields_of(op);
      if (!fields) return;
      error(op, judge(op, *fields));
    });
  }

 private:
  void error(Operation* op, const Broken& broken) {
    if (!broken.message.empty()) out_.error(broken.message, place_of(op->getLoc()), broken.kind, broken.rule);
  }
  void error(Operation* op, std::string message) { error(op, Broken{std::move(message)}); }

  static std::string unknown_text(Operation* op) {
    const auto name = op->getAttrOfType<mlir::StringAttr>("name");
    return "ptox does not have '" + (name ? name.getValue().str() : "pto.unknown") +
           "'; `ptox isa` lists the instructions it has";
  }
  /// Message for an invalid tile type of a result, or of an operand that is a block argument; empty if valid.
  static std::string tile_fault(Operation* op) {
    const auto fault = [](mlir::Type type) -> std::string {
      const TypeSpec* spec = spec_of(type);
      if (!spec || !spec->is_tile() || spec->schematic) return "";
      const char* sentence = pto::instr::tile_type_fault(spec->tile);
      return sentence ? sentence + ("; it is " + short_text(*spec)) : "";
    };
    for (mlir::Type t : op->getResultTypes())
      if (std::string f = fault(t); !f.empty()) return f;
    for (mlir::Value v : op->getOperands())
      if (mlir::isa<mlir::BlockArgument>(v))
        if (std::string f = fault(v.getType()); !f.empty()) return f;
    return "";
  }

  const Module& module_;
  Diagnostics& out_;
};

Broken judged(Operation* op, const Fields& fields, const Target& target) {
  Broken broken;
  with_instruction(*fields.form, [&]<class I>() { broken = broken_rule<I>(target, operands_of<I>(op, fields)); });
  return broken;
}

}  // namespace

const Target* target_of(const Module& module, const std::string& asked, Diagnostics& out) {
  std::string name = asked;
  SourcePlace place;
  if (name.empty()) {
    const auto arch = module.op.get()->getAttrOfType<mlir::StringAttr>("pto.target_arch");
    name = arch ? arch.getValue().str() : "cpu";
    place = place_of(module.op.get()->getLoc());
  }
  if (name == "a3" || name == "a2") name = "a2a3";
  if (const Target* t = find_on_host(name.c_str())) return t;
  if (find_target(name.c_str()))
    return out.error("'" + name + "' runs what nvcc compiles; here there are cpu, a2a3 (also a3), a5", place), nullptr;
  out.error("there is no target '" + name + "'; there are cpu, a2a3 (also a3), a5", place);
  return nullptr;
}

void verify(const Module& module, const Target& target, Diagnostics& out) {
  Verifier(module, out)
      .run([&](Operation* op, const Fields& fields) { return judged(op, fields, target); },
           [&](const GroupOperands& o) { return broken_rule(o, target); });
}

void verify_portable(const Module& module, Diagnostics& out) {
  const auto on = [](Broken broken, const Target& t) {
    broken.message += std::string(" (on ") + t.name + ")";
    return broken;
  };
  const auto judge = [&](Operation* op, const Fields& fields) {
    for (const Target* t : target::on_host)
      if (Broken broken = judged(op, fields, *t); !broken.message.empty()) return on(std::move(broken), *t);
    Broken broken;
    with_instruction(*fields.form, [&]<class I>() { broken = broken_portability<I>(operands_of<I>(op, fields)); });
    return broken;
  };
  Verifier(module, out).run(judge, [&](const GroupOperands& o) {
    for (const Target* t : target::on_host)
      if (Broken broken = broken_rule(o, *t); !broken.message.empty()) return on(std::move(broken), *t);
    return Broken{};
  });
}

void write_coalesce(const Module& module, Diagnostics& out) {
  module.op.get().walk([&](Operation* op) {
    const auto fields = fields_of(op);
    if (!fields || has_schematic(op) || policy_attr(op, "coalesce")) return;
    with_instruction(*fields->form, [&]<class I>() {
      if constexpr (requires { I::resolve; } && requires(typename I::Operands o) { I::resolve(o); }) {
        const auto choice = operands_of<I>(op, *fields).policy.coalesce;
        if (choice.open) return;
        set_policy(op, "coalesce", choice.mode == pto::Coalesce::Row ? "row" : "elem");
        if (choice.ambiguous)
          out.add(Severity::note,
                  std::string(I::mnemonic) +
                      ": coalesce is left out and both row and elem fit one valid column; it is row. Spell it",
                  place_of(op->getLoc()));
      }
    });
  });
}

void refuse_schematic(const Module& module, Diagnostics& out) {
  module.op.get().walk([&](Operation* op) {
    const auto refuse = [&](mlir::Type type) {
      if (!is_schematic(type)) return false;
      out.error("!pto." + to_text(*spec_of(type)) +
                    " is schematic: to run, write its extents and element type, as in !pto.tile<8x32xf32> or "
                    "!pto.memref<64x32xf32>",
                place_of(op->getLoc()));
      return true;
    };
    if (llvm::any_of(op->getOperandTypes(), refuse) || llvm::any_of(op->getResultTypes(), refuse)) return;
  });
}

}  // namespace ptox::assembly
