// SPDX-License-Identifier: Apache-2.0
// The signal operations of a machine: notify, test and wait.
#include <chrono>
#include <string>
#include <thread>

#include "comm/member.hpp"
#include "core/machine.hpp"

namespace ptox {

namespace {

using comm::Deadline;
using comm::Member;
using comm::Place;
using comm::Time;
using pto::comm::NotifyOp;
using pto::comm::WaitCmp;

const char* name(WaitCmp cmp) {
  constexpr const char* names[] = {"EQ", "NE", "GT", "GE", "LT", "LE"};
  return names[static_cast<int>(cmp)];
}

std::int32_t* word(const std::byte* at) { return reinterpret_cast<std::int32_t*>(const_cast<std::byte*>(at)); }

/// The current value of a signal: read through the fabric if it is in symmetric memory, otherwise by an atomic load.
std::int32_t now(Member* member, const std::byte* at) {
  if (const std::optional<Place> place = member ? member->locate(at) : std::nullopt)
    return member->fabric().peek(*place);
  return __atomic_load_n(word(at), __ATOMIC_ACQUIRE);
}

void update_here(const std::byte* at, NotifyOp op, std::int32_t value) {
  if (op == NotifyOp::Set)
    __atomic_store_n(word(at), value, __ATOMIC_RELEASE);
  else
    __atomic_fetch_add(word(at), value, __ATOMIC_ACQ_REL);
}

bool wait_alone(const std::byte* at, WaitCmp cmp, std::int32_t value) {
  const Deadline until = Time::now() + RanksOptions{}.deadline;
  while (!pto::comm::compares(now(nullptr, at), cmp, value)) {
    if (Time::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

/// Returns false before the deadline if all other ranks have returned or died, since none can change the signal then.
bool wait_in_group(Member& member, const std::byte* at, WaitCmp cmp, std::int32_t value) {
  bool alone = false;
  const auto done = [&] {
    const bool was_alone = member.left_alone();
    if (pto::comm::compares(now(&member, at), cmp, value)) return true;
    alone = was_alone;
    return alone;
  };
  member.fabric().progress("twait", 0, 0);
  return member.wait(done, member.deadline()) && !alone;
}

}  // namespace

void Machine::notify(std::byte* signal, NotifyOp op, std::int32_t value) {
  Member* member = core_.run().member;
  core_.publish_stores();
  const std::optional<Place> place = member ? member->locate(signal) : std::nullopt;
  if (!place) return update_here(signal, op, value);
  member->fabric().progress("tnotify", 0, 0);
  if (!member->fabric().quiet(member->deadline()))
    member->fail(FindingKind::comm_timeout, "tnotify: what was put before it is not there by the deadline");
  if (member->fabric().failed()) return;  // the group has ended: no rank waits for the signal any more
  if (member->watch()) member->watch()->notifies(member->id(), Member::watched(*place));
  member->fabric().notify(*place, op, value);
}

namespace {

/// Records for the race check that what was done before the signal was changed happens before this rank's later work.
void has_seen(Member* member, const std::byte* signal) {
  if (!member || !member->watch()) return;
  if (const std::optional<Place> place = member->locate(signal))
    member->watch()->has_seen(member->id(), Member::watched(*place));
}

}  // namespace

bool Machine::test_signal(const std::byte* signal, WaitCmp cmp, std::int32_t value) {
  Member* member = core_.run().member;
  const bool met = pto::comm::compares(now(member, signal), cmp, value);
  if (met)
    has_seen(member, signal);
  else if (member)
    member->looked_in_vain(signal);
  return met;
}

void Machine::wait_signal(const std::byte* signal, WaitCmp cmp, std::int32_t value) {
  Member* member = core_.run().member;
  if (member ? wait_in_group(*member, signal, cmp, value) : wait_alone(signal, cmp, value))
    return has_seen(member, signal);
  const auto patience = member ? member->patience() : RanksOptions{}.deadline;
  std::string message = "twait";
  if (member) message += " at rank " + std::to_string(member->id()) + " of " + std::to_string(member->size());
  message += ": the signal is " + std::to_string(now(member, signal)) + ", waited for " + name(cmp) + " " +
             std::to_string(value) + " up to " + std::to_string(patience.count()) + " ms";
  if (member) message += ", while " + member->describe_others();
  Where where{
      {FindingField::instruction, "twait"}, {FindingField::value, now(member, signal)}, {FindingField::wanted, value}};
  if (member) where.insert(where.end(), {{FindingField::rank, member->id()}, {FindingField::failure, message}});
  core_.report({.kind = FindingKind::comm_timeout, .message = message, .where = std::move(where)}, site_);
  if (!member) return core_.target().native ? void() : core_.end();
  member->fail(FindingKind::comm_timeout, message);
  member->go_on();
}

}  // namespace ptox
