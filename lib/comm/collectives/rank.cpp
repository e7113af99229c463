// SPDX-License-Identifier: Apache-2.0
#include "pto/comm/rank.hpp"

#include "comm/collectives/collective.hpp"

namespace pto::comm {

using ptox::comm::current_member;
using ptox::comm::Member;

int get_rank() {
  const Member* member = current_member();
  return member ? member->id() : 0;
}

int get_rank_num() {
  const Member* member = current_member();
  return member ? member->size() : 1;
}

void* detail::at_rank(const void* own, std::int64_t rank, instr::Site site) {
  const auto refuse = [&](const std::string& why) -> void* {
    ptox::current_core().report({.kind = ptox::FindingKind::illegal,
                                 .message = "at_rank: " + why,
                                 .where = {{ptox::FindingField::instruction, "at_rank"},
                                           {ptox::FindingField::other_rank, rank},
                                           {ptox::FindingField::ranks, get_rank_num()}},
                                 .cause = why},
                                site);
    return nullptr;
  };
  const Member* member = current_member();
  if (rank < 0 || rank >= get_rank_num())
    return refuse("rank " + std::to_string(rank) + " of " + std::to_string(get_rank_num()) +
                  ". Ranks count from 0; run_ranks and `ptox run --ranks` say how many there are");
  if (!member || rank == member->id()) return const_cast<void*>(own);
  const auto place = member->locate(own);
  if (!place)
    return refuse("the address is not in symmetric memory: rank " + std::to_string(rank) + " has no such place");
  return member->at(static_cast<int>(rank), place->offset);
}

bool detail::is_root(const Tensors& group) {
  const Member* member = current_member();
  const bool asked = member && group.root >= 0 && group.root < group.ranks;
  return !asked || ptox::comm::root_rank(*member, group) == member->id();
}

}  // namespace pto::comm
