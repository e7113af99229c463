// SPDX-License-Identifier: Apache-2.0
// The legality rules of collectives, for operands that are known statically.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "asm/text/type_text.hpp"
#include "ptox/finding.hpp"
#include "ptox/target.hpp"

namespace ptox::assembly {

/// The operands of a collective; extents that are known only at run time are `unknown`.
struct GroupOperands {
  const char* mnemonic;       ///< tscatter, tgather, tbroadcast, treduce
  const char* name;           ///< operand name of the root's own tensor: src or dst
  bool spreads = false;       ///< the root's tensor holds the rows of all ranks (tscatter, tgather)
  bool writes_group = false;  ///< true: the ranks' tensors are outputs; false: inputs
  std::int64_t ranks = 0, root = 0;
  std::vector<TensorDesc> tensors{};  ///< per rank; a single entry stands for all ranks; empty: not known
  TensorDesc own{};
  std::vector<TileDesc> staging{};
};

struct GroupRule {
  const char *label, *sentence;
  FindingKind kind;  ///< kind of the run-time finding
  bool (*holds)(const GroupOperands&);
  std::string (*shows)(const GroupOperands&);
};
std::span<const GroupRule> group_rules();

/// A broken rule; the message is empty if all rules hold.
struct Broken {
  std::string message{};  ///< "tscatter G2: ..."
  FindingKind kind = FindingKind::illegal;
  std::string rule{};  ///< label of the rule, for example G2
};
/// The first broken rule of the collective, or of the TLOAD and TSTORE that it consists of on that target.
Broken broken_rule(const GroupOperands& operands, const Target& target);

}  // namespace ptox::assembly
