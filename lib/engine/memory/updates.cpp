// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/updates.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <thread>

namespace ptox {

namespace {

struct alignas(UpdateLocks::apart) Stripe {
  std::atomic<bool> held = false;
};
static_assert(sizeof(Stripe) == UpdateLocks::apart && std::atomic<bool>::is_always_lock_free);

// An instruction sets alone_under_way and then reads `updaters`; a new updater increments `updaters` and then reads
// alone_under_way. All four are sequentially consistent, so at least one of the two sees the other.
constinit std::atomic<int> updaters = 0;
constinit std::atomic<bool> alone_under_way = false;
constinit std::array<Stripe, UpdateLocks::count> own_locks{};
constinit Stripe* locks = own_locks.data();
using Hook = void (*)();
constinit Hook while_waiting = nullptr;
constinit thread_local int depth = 0;

/// Spins until done(); yields after 64 attempts, and calls while_waiting on every 1024th.
template <class F>
void wait_until(F&& done) {
  constexpr int quick = 64, now_and_then = 1024;
  for (int looked = 0; !done(); ++looked) {
    if (looked >= quick) std::this_thread::yield();
    if (looked % now_and_then == now_and_then - 1 && while_waiting) while_waiting();
  }
}

/// Frees all locks in a forked child, which has one thread only, and resets the number of updaters.
void begin_child() {
  updaters = depth > 0 ? 1 : 0;
  alone_under_way = false;
  for (Stripe& s : own_locks) s.held = false;
}
[[maybe_unused]] const int at_fork = pthread_atfork(nullptr, nullptr, begin_child);

}  // namespace

void UpdateLocks::share(void* memory, void (*waiting)()) {
  locks = static_cast<Stripe*>(memory), while_waiting = waiting;
}

void UpdateLocks::use_own() { locks = own_locks.data(), while_waiting = nullptr; }

void Updater::begin() {
  if (depth++ > 0) return;
  updaters.fetch_add(1);
  wait_until([] { return !alone_under_way.load(); });
}

void Updater::end() noexcept {
  if (--depth == 0) updaters.fetch_sub(1);
}

Updates::Updates() {
  Updater::begin();
  alone_ = updaters.load(std::memory_order_relaxed) == 1;
  alone_ = alone_ && locks == own_locks.data();
  if (!alone_) return;
  alone_under_way.store(true);
  alone_ = updaters.load() == 1;
  if (!alone_) alone_under_way.store(false, std::memory_order_release);
}

Updates::~Updates() {
  if (alone_) alone_under_way.store(false, std::memory_order_release);
  Updater::end();
}

Updates::Lock::Lock(const std::byte* p) : stripe_(reinterpret_cast<std::uintptr_t>(p) / page % UpdateLocks::count) {
  std::atomic<bool>& held = locks[stripe_].held;
  while (held.exchange(true, std::memory_order_acquire))
    wait_until([&] { return !held.load(std::memory_order_relaxed); });
}

Updates::Lock::~Lock() { locks[stripe_].held.store(false, std::memory_order_release); }

}  // namespace ptox
