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
  std::string error;                                          ///< not empty: message for an invalid suffix
};
/// Parses `[pto.]base[.row|.elem][.oob][.atomic_op]`. Suffixes may be in any order, at most one of each kind. If the
/// operation has no suffixes, the whole opcode is the base.
Opcode parse_opcode(std::string_view text);

/// The opcode suffix of a policy; empty for a default value and for kinds that have no suffixes.
std::string suffix_of(std::string_view kind, std::string_view value);

}  // namespace ptox::assembly
