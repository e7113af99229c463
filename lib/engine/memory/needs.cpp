// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/needs.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ptox {

Need* NeedLog::find(std::string_view cause, const pto::instr::Site& site) {
  const auto same = [&](const Need& n) {
    return n.site.line() == site.line() && n.cause == cause && std::string_view(n.site.file_name()) == site.file_name();
  };
  const auto found = std::find_if(needs_.begin(), needs_.end(), same);
  return found == needs_.end() ? nullptr : &*found;
}

bool NeedLog::is_new(std::string_view cause, const pto::instr::Site& site, std::int64_t bytes) {
  Need* known = find(cause, site);
  if (!known || known->bytes < bytes) return true;
  ++known->count;
  return false;
}

void NeedLog::add(Need need) {
  Need* known = find(need.cause, need.site);
  if (!known) return needs_.push_back(std::move(need));
  const std::int64_t count = known->count + need.count;
  const bool worse = std::tie(known->bytes, need.block) < std::tie(need.bytes, known->block);
  if (worse) *known = std::move(need);
  known->count = count;
}

void NeedLog::merge(NeedLog&& other) {
  for (Need& n : other.needs_) add(std::move(n));
  other.needs_.clear();
}

std::int64_t NeedLog::enough_for(const Need& need) const {
  std::int64_t bytes = need.bytes;
  for (const Need& n : needs_)
    if (n.bytes <= std::min(n.most, need.most)) bytes = std::max(bytes, n.bytes);
  return bytes;
}

void NeedLog::report_to(FindingLog& log) {
  for (const Need& n : needs_) {
    const bool helps = n.bytes <= n.most;
    Where where{{FindingField::instruction, n.instruction}, {FindingField::needed_bytes, n.bytes}};
    if (helps) where.emplace_back(FindingField::dyn_ub_bytes, enough_for(n));
    log.add(
        {.kind = FindingKind::ub_budget,
         .message = n.what + (helps ? ". Launch with dynUBufSize = " + std::to_string(enough_for(n)) : std::string()) +
                    n.remedy,
         .where = std::move(where),
         .cause = std::string(n.cause),
         .count = n.count},
        n.site, n.block);
  }
  needs_.clear();
}

}  // namespace ptox
