// SPDX-License-Identifier: Apache-2.0
// Locks that are free in a forked child, even if another thread held them at the fork.
#pragma once

#include <memory>

namespace ptox {

/// A lock of any type.
struct ForkLock {
  void* lock;
  void (*wait)(void*);  ///< locks, blocking
  bool (*take)(void*);  ///< tries to lock; false if another thread has the lock
  void (*leave)(void*);
  void (*renew)(void*);  ///< in the child: frees the lock, whose waiting threads do not exist there
};
/// Registers a lock that every thread holds while it forks, so that in the child the lock is free and the data that it
/// guards is consistent. The lock has to live until the process ends. Throws std::logic_error for more than 16 locks.
void hold_at_fork(const ForkLock& lock);

template <class Mutex>
void hold_at_fork(Mutex& mutex) {
  hold_at_fork(ForkLock{&mutex, [](void* m) { static_cast<Mutex*>(m)->lock(); },
                        [](void* m) { return static_cast<Mutex*>(m)->try_lock(); },
                        [](void* m) { static_cast<Mutex*>(m)->unlock(); },
                        [](void* m) {
                          static_cast<Mutex*>(m)->unlock();  // ThreadSanitizer tracks this, not the construction below
                          std::construct_at(static_cast<Mutex*>(m));
                        }});
}

/// Creates an object that is never destroyed, and registers its member `mutex` by hold_at_fork.
template <class T, class Mutex>
T* for_good(Mutex T::* mutex) {
  T* made = new T;
  hold_at_fork(made->*mutex);
  return made;
}

}  // namespace ptox
