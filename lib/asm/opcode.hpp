// SPDX-License-Identifier: Apache-2.0
// Converts opcodes with suffixes, such as `mscatter.row.clamp.atomic_add`, to a base and policies, and back.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptox::assembly {

struct Opcode {
  std::string base;                                           ///< without `pto.`
  std::vector<std::pair<std::string, std::string>> policies;  ///< attribute kind and value
  std::string error;                                          ///< not empty: what is wrong with a suffix
};
/// `[pto.]base[.row|.elem][.oob][.atomic_op]`, suffixes in any order, at most one of a kind. An opcode whose base has
/// no suffixes is its own base.
Opcode parse_opcode(std::string_view text);

/// The suffix that spells a policy, empty when none does: a default, or a kind that opcodes do not spell.
std::string suffix_of(std::string_view kind, std::string_view value);

}  // namespace ptox::assembly
