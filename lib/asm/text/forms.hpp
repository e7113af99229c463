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
  bool tile;  ///< true: a tile; false: a tensor in global memory
};

/// The operands of an instruction: the output first, then the inputs in the order of the instruction.
struct Form {
  const char* mnemonic;
  std::string base;  ///< the operation's name: `mgather` of `mgather.mat`
  std::vector<OperandForm> operands;
  int id;  ///< position in AllInstructions
  bool takes_mask = false, takes_scalar = false;
};
/// The forms of an operation name (mgather has several); empty if the name is not an instruction.
std::vector<const Form*> forms_of(std::string_view base);
const std::vector<Form>& all_forms();

/// A policy, written as the attribute `gatherOob = #pto.gather_oob<zero>` or as the opcode suffix `.zero`.
struct PolicyKind {
  const char* attribute;  ///< gatherOob
  const char* kind;       ///< gather_oob
  std::vector<std::string>
      values;  ///< in the order of the C++ enum; the first is the default unless the policy is open
  bool open;   ///< if absent, the value is not the first one but inferred or unspecified
};
/// Every attribute kind with a fixed set of values, policies first.
const std::vector<PolicyKind>& policy_kinds();
inline constexpr std::size_t policy_count = 9;  ///< the first entries of policy_kinds()
const PolicyKind* find_kind(std::string_view kind);
/// The policies that an operation accepts, in the order of the opcode suffixes: coalesce, out of range, atomic, others.
std::vector<const PolicyKind*> policies_of(std::string_view base);

}  // namespace ptox::assembly
