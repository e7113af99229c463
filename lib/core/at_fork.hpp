// SPDX-License-Identifier: Apache-2.0
// Locks that are free in a forked child, even if another thread held them at the fork.
#pragma once

#include <memory>

namespace ptox {

/// A lock of the process, whatever its type.
struct ForkLock {
  void* lock;
  void (*wait)(void*);  ///< until it is this thread's
  bool (*take)(void*);  ///< false: somebody has it
  void (*leave)(void*);
  void (*renew)(void*);  ///< in the child: those who wait for it are not there
};
/// From now on a thread that forks holds it meanwhile: in the child it is free, and what it guards is whole. The lock
/// lives as long as the process.
void hold_at_fork(const ForkLock& lock);

template <class Mutex>
void hold_at_fork(Mutex& mutex) {
  hold_at_fork(ForkLock{&mutex, [](void* m) { static_cast<Mutex*>(m)->lock(); },
                        [](void* m) { return static_cast<Mutex*>(m)->try_lock(); },
                        [](void* m) { static_cast<Mutex*>(m)->unlock(); },
                        [](void* m) {
                          static_cast<Mutex*>(m)->unlock();  // that is all a thread sanitizer understands
                          std::construct_at(static_cast<Mutex*>(m));
                        }});
}

/// An object for as long as the process, with a lock of its own.
template <class T, class Mutex>
T* for_good(Mutex T::* mutex) {
  T* made = new T;
  hold_at_fork(made->*mutex);
  return made;
}

}  // namespace ptox
