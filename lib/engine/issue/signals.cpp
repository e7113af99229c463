// SPDX-License-Identifier: Apache-2.0
// The signal operations of a machine: notify, test and wait. A rank has its own; without one a signal is a word in
// memory.
#include <chrono>
#include <string>
#include <thread>

#include "engine/core/rank.hpp"
#include "engine/issue/machine.hpp"
#include "ptox/ranks.hpp"

namespace ptox {

namespace {

using pto::comm::NotifyOp;
using pto::comm::WaitCmp;

std::int32_t* word(const std::byte* at) { return reinterpret_cast<std::int32_t*>(const_cast<std::byte*>(at)); }
std::int32_t now(const std::byte* at) { return __atomic_load_n(word(at), __ATOMIC_ACQUIRE); }

/// Whether the signal fulfilled the comparison within the default deadline of ranks.
bool comes(const std::byte* at, WaitCmp cmp, std::int32_t value) {
  const auto until = std::chrono::steady_clock::now() + RanksOptions{}.deadline;
  while (!pto::comm::compares(now(at), cmp, value)) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace

void Machine::notify(std::byte* signal, NotifyOp op, std::int32_t value) {
  core_.publish_stores();
  if (RankView* rank = core_.run().rank; rank && rank->notify(signal, op, value)) return;
  if (op == NotifyOp::Set)
    __atomic_store_n(word(signal), value, __ATOMIC_RELEASE);
  else
    __atomic_fetch_add(word(signal), value, __ATOMIC_ACQ_REL);
}

bool Machine::test_signal(const std::byte* signal, WaitCmp cmp, std::int32_t value) {
  if (RankView* rank = core_.run().rank) return rank->test_signal(signal, cmp, value);
  return pto::comm::compares(now(signal), cmp, value);
}

void Machine::wait_signal(const std::byte* signal, WaitCmp cmp, std::int32_t value) {
  if (RankView* rank = core_.run().rank) return rank->wait_signal(core_, site_, signal, cmp, value);
  if (comes(signal, cmp, value)) return;
  core_.report({.kind = FindingKind::comm_timeout,
                .message = "twait: the signal is " + std::to_string(now(signal)) + ", waited for " + name(cmp) + " " +
                           std::to_string(value) + " up to " + std::to_string(RanksOptions{}.deadline.count()) + " ms",
                .where = {{FindingField::instruction, "twait"},
                          {FindingField::value, now(signal)},
                          {FindingField::wanted, value}}},
               site_);
  if (!core_.target().native) core_.end();
}

}  // namespace ptox
