// SPDX-License-Identifier: Apache-2.0
// The operands and policies of instructions in PTO-AS, as tables made from the list of instructions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pto/isa/instr.hpp"

namespace ptox::assembly {

struct OperandForm {
  const char* name;
  pto::instr::Role role;
  bool tile;  ///< a tile, else a tensor in global memory
};

/// An instruction with tile or tensor operands. The first is what it writes; the others are its inputs in this order.
struct Form {
  const char* mnemonic;
  std::string base;  ///< the operation's name: `mgather` of `mgather.mat`
  std::vector<OperandForm> operands;
  int id;  ///< its position in the list of instructions
  bool takes_mask = false, takes_scalar = false;
};
/// Those of one operation's name; empty for others.
std::vector<const Form*> forms_of(std::string_view base);
const std::vector<Form>& all_forms();

/// A policy as an attribute: `gatherOob = #pto.gather_oob<zero>`, in the opcode `.zero`.
struct PolicyKind {
  const char* attribute;  ///< gatherOob
  const char* kind;       ///< gather_oob
  std::vector<std::string>
      values;  ///< in the order of the C++ enum; the first is the default unless the policy is open
  bool open;   ///< leaving it out is not the same as its first value
};
/// Every kind of attribute that has known values, policies first.
const std::vector<PolicyKind>& policy_kinds();
inline constexpr std::size_t policy_count = 9;  ///< of them are policies
const PolicyKind* find_kind(std::string_view kind);
/// The policies of an operation, in the order in which an opcode spells them: coalesce, out of range, atomic, others.
std::vector<const PolicyKind*> policies_of(std::string_view base);

}  // namespace ptox::assembly
