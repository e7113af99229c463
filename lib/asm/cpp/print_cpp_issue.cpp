// SPDX-License-Identifier: Apache-2.0
// Prints instructions, flags and events in C++, with all policies that the file specifies.
#include <algorithm>

#include "asm/cpp/print_cpp.hpp"
#include "llvm/ADT/StringExtras.h"

namespace ptox::assembly::cpp {

using llvm::StringRef;
using mlir::Operation;
using mlir::Value;

namespace {

std::string joined(const std::vector<std::string>& parts) { return llvm::join(parts, ", "); }

void spell(const pto::instr::CoalesceChoice& c, std::vector<std::string>& out) {
  if (!c.open) out.push_back(std::string("Coalesce::") + pto::instr::name(c.mode));
}
void spell(Operation*, const pto::instr::GatherPolicy& p, std::vector<std::string>& out) {
  spell(p.coalesce, out);
  out.push_back(std::string("GatherOOB::") + pto::instr::name(p.oob));
}
void spell(Operation*, const pto::instr::ScatterPolicy& p, std::vector<std::string>& out) {
  spell(p.coalesce, out);
  out.push_back(std::string("ScatterAtomicOp::") + pto::instr::name(p.op));
  out.push_back(std::string("ScatterOOB::") + pto::instr::name(p.oob));
  if (p.conflict_spelled) out.push_back(std::string("ScatterConflict::") + pto::instr::name(p.conflict));
}
void spell(Operation*, const pto::instr::MgatherMat::Policy& p, std::vector<std::string>& out) {
  spell(p.coalesce, out);
  out.push_back(std::string("GatherOOB::") + pto::instr::name(p.oob));
  if (p.exec_spelled) out.emplace_back(p.exec == pto::GatherExec::Simt ? "GatherExec::Simt" : "GatherExec::Scalar");
}
void spell(Operation* op, const pto::instr::Tstore::Policy& p, std::vector<std::string>& out) {
  if (!policy_attr(op, "atomic_type")) return;
  out.emplace_back(p.atomic == pto::AtomicType::AtomicAdd ? "AtomicType::AtomicAdd" : "AtomicType::AtomicNone");
}
void spell(Operation* op, const pto::MaskPattern&, std::vector<std::string>& out) {
  out.push_back("MaskPattern::" + policy_attr(op, "mask_pattern").value().str());
}
void spell(Operation*, const pto::instr::NoPolicy&, std::vector<std::string>&) {}
void spell(Operation*, const pto::instr::Texpands::Scalar&, std::vector<std::string>&) {}

/// `<Coalesce::Row, GatherOOB::Zero>`; empty if the instruction has no policies to print.
std::string policies(Operation* op, const Fields& fields) {
  std::vector<std::string> all;
  with_instruction(*fields.form, [&]<class I>() { spell(op, operands_of<I>(op, fields).policy, all); });
  return all.empty() ? "" : "<" + joined(all) + ">";
}

std::string word(Operation* op, StringRef attribute) { return op->getAttrOfType<PtoAttr>(attribute).value().str(); }

/// The C++ type of the event of a record_event or wait_event. Both have the same type if they refer to the same event.
std::string event_type(Operation* op) {
  return "Event<Op::" + word(op, "src_op") + ", Op::" + word(op, "dst_op") + ", false, " + word(op, "event") + ">";
}

}  // namespace

/// The scalar of texpands. A narrow float is converted to another narrow type via float.
std::string Body::filling(Operation* op, const Fields& fields) {
  const std::string type = type_of(op, fields.scalar), text = use(op, fields.scalar);
  const bool narrow = !fields.scalar.getType().isIntOrIndex() && type != "float" && type != "double";
  const bool other = type != element_type(describe_tile(fields.values[0]).dtype);
  return narrow && other ? "static_cast<float>(" + text + ")" : text;
}

void Body::print_instruction(Operation* op, const Fields& fields) {
  if (op->getNumResults() != 0) refuse(op, "it results in a tile, as Level 1 does; C++ is printed of Level 2");
  std::vector<std::string> operands;
  for (Value v : fields.values)
    if (v) operands.push_back(use(op, v));
  if (fields.scalar) operands.push_back(filling(op, fields));
  line(StringRef(fields.form->base).upper() + policies(op, fields) + "(" + joined(operands) + ");");
}

/// Declares events at the start of the function, so that a loop iteration can wait for an event of another iteration.
void Body::declare_events(Operation* function) {
  function->walk([&](Operation* op) {
    if (base_name(op) != "record_event") return;
    const std::string type = event_type(op);
    if (events_.contains(type)) return;
    const std::string name =
        word(op, "src_op") + "_" + word(op, "dst_op") + "_" + StringRef(word(op, "event")).take_back().str();
    events_[type] = names_.take(StringRef(name).lower());
    line(type + " " + events_[type] + ";");
  });
}

void Body::print_event(Operation* op) {
  const auto at = events_.find(event_type(op));
  if (at == events_.end()) refuse(op, "nothing in this function records that event");
  line(at->second + (base_name(op) == "record_event" ? " = RecordEvent{};" : ".Wait();"));
}

bool Body::print_issue(Operation* op) {
  const StringRef base = base_name(op);
  if (base.empty()) return false;
  if (const auto fields = fields_of(op))
    print_instruction(op, *fields);
  else if (base == "set_flag" || base == "wait_flag")
    line(base.str() + "(" + word(op, "src_pipe") + ", " + word(op, "dst_pipe") + ", " + word(op, "event") + ");");
  else if (base == "barrier")
    line("pipe_barrier(" + word(op, "pipe") + ");");
  else if (base == "record_event" || base == "wait_event")
    print_event(op);
  else if (base == "dsb")
    line("dsb(" + word(op, "kind") + ");");
  else if (base == "dcci")
    line("dcci(" + use(op, op->getOperand(0)) +
         (spec_of(op->getOperand(0).getType())->kind == TypeSpec::Kind::ptr ? "" : ".data()") + ", " +
         word(op, "kind") + ");");
  else if (base == "get_block_idx" || base == "get_block_num")
    line("const " + type_of(op, op->getResult(0)) + " " + declare(op->getResult(0)) + " = " + base.str() + "();");
  else
    return false;
  return true;
}

}  // namespace ptox::assembly::cpp
