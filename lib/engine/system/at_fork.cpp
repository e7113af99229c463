// SPDX-License-Identifier: Apache-2.0
#include "engine/system/at_fork.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace ptox {

namespace {

struct Slot {
  ForkLock lock;
  std::atomic<bool> used = false;
  bool held = false;  ///< by the thread that forks
};
constinit std::array<Slot, 16> slots{};
constinit std::atomic<std::size_t> next = 0;
constinit std::mutex forking;  // serialises forks of several threads

/// Blocks on lock number `first` and tries all others. If one of them is not free, sets `first` to its number and
/// returns false. Never blocks while it holds a lock: other threads may acquire the locks in another order.
bool take_from(std::size_t& first) {
  Slot& awaited = slots[first];
  if (awaited.used) awaited.lock.wait(awaited.lock.lock), awaited.held = true;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& s = slots[i];
    if (s.held || !s.used) continue;
    s.held = s.lock.take(s.lock.lock);
    if (!s.held) return first = i, false;
  }
  return true;
}

/// Releases the locks that are held, and no others: further locks may have been registered since they were taken.
void give_back(void (*ForkLock::*how)(void*)) {
  for (Slot& s : slots)
    if (std::exchange(s.held, false)) (s.lock.*how)(s.lock.lock);
}

void take_all() {
  forking.lock();
  for (std::size_t first = 0; !take_from(first);) give_back(&ForkLock::leave);
}
void leave_all() {
  give_back(&ForkLock::leave);
  forking.unlock();
}
void renew_all() {
  give_back(&ForkLock::renew);
  forking.unlock();
  std::construct_at(&forking);
}

}  // namespace

void hold_at_fork(const ForkLock& lock) {
  static const int refused = pthread_atfork(take_all, leave_all, renew_all);
  if (refused != 0) throw std::system_error(refused, std::generic_category(), "pthread_atfork");
  const std::size_t mine = next++;
  if (mine >= slots.size()) throw std::logic_error("hold_at_fork: too many locks");
  slots[mine].lock = lock;
  slots[mine].used = true;
}

}  // namespace ptox
