// SPDX-License-Identifier: Apache-2.0
// The signal operations of a rank: notify, test and wait.
#include <string>

#include "comm/group/member.hpp"

namespace ptox::comm {

namespace {

using pto::comm::NotifyOp;
using pto::comm::WaitCmp;

/// The current value of a signal: read through the fabric if it is in symmetric memory, otherwise by an atomic load.
std::int32_t now(Member& member, const std::byte* at) {
  if (const std::optional<Place> place = member.locate(at)) return member.fabric().peek(*place);
  return __atomic_load_n(reinterpret_cast<const std::int32_t*>(at), __ATOMIC_ACQUIRE);
}

/// Returns false at the deadline, and earlier if all other ranks have returned or died, since none can change the
/// signal then.
bool comes(Member& member, const std::byte* at, WaitCmp cmp, std::int32_t value) {
  bool alone = false;
  const auto done = [&] {
    const bool was_alone = member.left_alone();
    if (pto::comm::compares(now(member, at), cmp, value)) return true;
    alone = was_alone;
    return alone;
  };
  member.fabric().progress("twait", 0, 0);
  return member.wait(done, member.deadline()) && !alone;
}

/// Records for the race check that what was done before the signal was changed happens before this rank's later work.
void has_seen(Member& member, const std::byte* signal) {
  if (!member.order()) return;
  if (const std::optional<Place> place = member.locate(signal)) member.order()->has_seen(member.id(), *place);
}

}  // namespace

bool Member::notify(std::byte* signal, NotifyOp op, std::int32_t value) {
  const std::optional<Place> place = locate(signal);
  if (!place) return false;
  fabric().progress("tnotify", 0, 0);
  if (!fabric().quiet(deadline()))
    fail(FindingKind::comm_timeout, "tnotify: what was put before it is not there by the deadline");
  if (fabric().failed()) return true;  // the group has ended: no rank waits for the signal any more
  if (order()) order()->notifies(id(), *place);
  fabric().notify(*place, op, value);
  return true;
}

bool Member::test_signal(const std::byte* signal, WaitCmp cmp, std::int32_t value) {
  const bool met = pto::comm::compares(now(*this, signal), cmp, value);
  if (met)
    has_seen(*this, signal);
  else
    looked_in_vain(signal);
  return met;
}

void Member::wait_signal(Core& core, pto::instr::Site site, const std::byte* signal, WaitCmp cmp, std::int32_t value) {
  if (comes(*this, signal, cmp, value)) return has_seen(*this, signal);
  const std::int32_t last = now(*this, signal);
  const std::string message = "twait at rank " + std::to_string(id()) + " of " + std::to_string(size()) +
                              ": the signal is " + std::to_string(last) + ", waited for " + name(cmp) + " " +
                              std::to_string(value) + " up to " + std::to_string(patience().count()) + " ms, while " +
                              describe_others();
  core.report({.kind = FindingKind::comm_timeout,
               .message = message,
               .where = {{FindingField::instruction, "twait"},
                         {FindingField::value, last},
                         {FindingField::wanted, value},
                         {FindingField::rank, id()},
                         {FindingField::failure, message}}},
              site);
  fail(FindingKind::comm_timeout, message);
  go_on();
}

}  // namespace ptox::comm
