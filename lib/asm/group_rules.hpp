// SPDX-License-Identifier: Apache-2.0
// The rules of collectives, as far as the text determines their operands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "asm/type_text.hpp"
#include "ptox/finding.hpp"
#include "ptox/target.hpp"

namespace ptox::assembly {

/// The operands of a collective; extents that only a run knows are unknown.
struct GroupOperands {
  const char* mnemonic;       ///< tscatter, tgather, tbroadcast, treduce
  const char* name;           ///< of the root's own tensor: src or dst
  bool spreads = false;       ///< the root's tensor has rows for every rank
  bool writes_group = false;  ///< the ranks' tensors are written, not read
  std::int64_t ranks = 0, root = 0;
  std::vector<TensorDesc> tensors{};  ///< of the ranks; one stands for all, none: not known here
  TensorDesc own{};
  std::vector<TileDesc> staging{};
};

struct GroupRule {
  const char *label, *sentence;
  FindingKind kind;  ///< of the finding that a run makes of it
  bool (*holds)(const GroupOperands&);
  std::string (*shows)(const GroupOperands&);
};
std::span<const GroupRule> group_rules();

/// A rule that is broken; the message is empty when all hold.
struct Broken {
  std::string message{};  ///< "tscatter G2: ..."
  FindingKind kind = FindingKind::illegal;
  std::string rule{};  ///< label of the rule
};
/// The first broken rule of a collective, or of the moves that it is made of on that target.
Broken broken_rule(const GroupOperands& operands, const Target& target);

}  // namespace ptox::assembly
