// SPDX-License-Identifier: Apache-2.0
#include "core/at_fork.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <stdexcept>

namespace ptox {

namespace {

struct Slot {
  ForkLock lock;
  std::atomic<bool> used = false;
};
constinit std::array<Slot, 16> slots{};
constinit std::atomic<std::size_t> next = 0;

std::size_t after(std::size_t slot) { return (slot + 1) % slots.size(); }

/// Waits for the first of them and takes the others if they are free; else `first` is the one that was not. Never waits
/// while it holds one: others may take them in another order.
bool take_from(std::size_t& first) {
  if (slots[first].used) slots[first].lock.wait(slots[first].lock.lock);
  for (std::size_t i = after(first); i != first; i = after(i)) {
    if (!slots[i].used || slots[i].lock.take(slots[i].lock.lock)) continue;
    for (std::size_t held = first; held != i; held = after(held))
      if (slots[held].used) slots[held].lock.leave(slots[held].lock.lock);
    first = i;
    return false;
  }
  return true;
}

void take_all() {
  for (std::size_t first = 0; !take_from(first);) continue;
}
void leave_all() {
  for (const Slot& s : slots)
    if (s.used) s.lock.leave(s.lock.lock);
}

void renew_all() {
  for (const Slot& s : slots)
    if (s.used) s.lock.renew(s.lock.lock);
}

}  // namespace

void hold_at_fork(const ForkLock& lock) {
  [[maybe_unused]] static const int registered = pthread_atfork(take_all, leave_all, renew_all);
  const std::size_t mine = next++;
  if (mine >= slots.size()) throw std::logic_error("hold_at_fork: too many locks");
  slots[mine].lock = lock;
  slots[mine].used = true;
}

}  // namespace ptox
