// SPDX-License-Identifier: Apache-2.0
#include "asm/dialect/syntax.hpp"

#include "asm/dialect/syntax_parts.hpp"
#include "asm/dialect/unknown.hpp"
#include "asm/text/opcode.hpp"
#include "llvm/ADT/StringSet.h"

namespace ptox::assembly {

namespace {

ParseResult refuse_unknown(StringRef, mlir::OpAsmParser& p, mlir::OperationState&) {
  return p.emitError(p.getNameLoc()) << "stands for others and is not written";
}
mlir::LogicalResult verify_unknown(mlir::Operation*) { return success(); }
const Syntax unknown_syntax{refuse_unknown, print_unknown, verify_unknown};

const Syntax& syntax_of(StringRef base) {
  if (is_instruction(base)) return instruction_syntax;
  if (base == "make_tensor_view" || base == "partition_view") return view_syntax;
  if (base == "alloc_tile") return alloc_syntax;
  if (base == "tassign") return assign_syntax;
  if (base == "set_validshape") return valid_syntax;
  if (base == "get_block_idx" || base == "get_block_num") return block_syntax;
  if (base == "get_rank" || base == "get_rank_num") return block_syntax;
  if (base == "make_group") return group_syntax;
  if (base == "at_rank") return at_rank_syntax;
  if (base.starts_with("section.")) return section_syntax;
  return base == "unknown" ? unknown_syntax : flag_syntax;
}

/// Reports an attribute that is given twice; attributes may be written in several places, including the short forms.
ParseResult refuse_duplicates(mlir::OpAsmParser& p, const mlir::OperationState& state) {
  llvm::StringSet<> seen;
  for (const mlir::NamedAttribute& attribute : state.attributes)
    if (!seen.insert(attribute.getName()).second)
      return p.emitError(p.getNameLoc()) << "attribute " << attribute.getName() << " is given twice";
  return success();
}

}  // namespace

ParseResult parse_operation(mlir::OpAsmParser& p, mlir::OperationState& state) {
  const StringRef base = state.name.getStringRef().drop_front(4);
  return failure(syntax_of(base).parse(base, p, state) || refuse_duplicates(p, state));
}

ParseResult parse_unregistered(mlir::OpAsmParser& p, mlir::OperationState& state) {
  const StringRef name = state.name.getStringRef();
  if (name == "pto.pipe_barrier") {
    state.name = mlir::OperationName("pto.barrier", p.getContext());
    return parse_operation(p, state);
  }
  const Opcode opcode = parse_opcode({name.data(), name.size()});
  if (!opcode.error.empty()) return p.emitError(p.getNameLoc()) << opcode.error;
  if (("pto." + opcode.base) == name || !has_operation(opcode.base))
    return failure(parse_unknown(p, state) || refuse_duplicates(p, state));
  state.name = mlir::OperationName("pto." + opcode.base, p.getContext());
  if (parse_operation(p, state)) return failure();
  for (const auto& [kind, value] : opcode.policies) {
    const char* attribute = find_kind(kind)->attribute;
    if (state.attributes.get(attribute))
      return p.emitError(p.getNameLoc()) << attribute << " is given twice, as a suffix and as an attribute";
    state.addAttribute(attribute, PtoAttr::get(p.getContext(), kind, value));
  }
  return success();
}

void print_operation(mlir::Operation* op, mlir::OpAsmPrinter& p) { syntax_of(base_name(op)).print(op, p); }

mlir::LogicalResult verify_operation(mlir::Operation* op) { return syntax_of(base_name(op)).verify(op); }

}  // namespace ptox::assembly
