// SPDX-License-Identifier: Apache-2.0
// Makes updates of global memory atomic: without a lock while no other thread can update, otherwise with one lock per
// page.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ptox {

/// Registers the thread as one that may update global memory, while it runs a block or plain calls. The constructor
/// waits until no update without a lock is in progress.
class Updater {
 public:
  Updater() { begin(); }
  ~Updater() { end(); }
  Updater(const Updater&) = delete;
  Updater& operator=(const Updater&) = delete;

  /// The same where no scope fits. Calls can be nested on one thread.
  static void begin();
  static void end() noexcept;
};

/// The locks of updates, which can be shared with other processes. `apart`: the distance between two locks in bytes.
struct UpdateLocks {
  static constexpr std::size_t count = 1024, apart = 64, bytes = count * apart;
  /// Uses from now on the locks in `memory`, which is zeroed, has `bytes` bytes and is shared by processes; every
  /// update then takes a lock. Threads that wait for a lock call `while_waiting` periodically. It may throw, because
  /// the holder may have died.
  static void share(void* memory, void (*while_waiting)());
  /// Uses the locks of this process again.
  static void use_own();
};

/// The updates of one instruction, each of which is atomic with respect to those of other threads.
class Updates {
 public:
  Updates();
  ~Updates();
  Updates(const Updates&) = delete;
  Updates& operator=(const Updates&) = delete;

  /// Whether no other thread can update during the lifetime of this object, so that no locks are taken.
  bool alone() const { return alone_; }

  /// Calls update() for the element at `to`.
  template <class F>
  void element(const std::byte* to, F&& update) {
    if (alone_) return update();
    const Lock lock(to);
    update();
  }
  /// Calls update(offset, bytes) for pieces of a run of elements of `size` bytes, split at pages unless alone(). An
  /// element belongs to the page of its first byte.
  template <class F>
  void run(std::byte* to, std::int64_t bytes, std::int64_t size, F&& update) {
    if (alone_) return update(std::int64_t{0}, bytes);
    for (std::int64_t at = 0, n = 0; at < bytes; at += n) {
      const std::int64_t left = page - reinterpret_cast<std::intptr_t>(to + at) % page;
      n = std::min(bytes - at, (left + size - 1) / size * size);
      const Lock lock(to + at);
      update(at, n);
    }
  }

 private:
  static constexpr std::int64_t page = 4096;

  class Lock {
   public:
    explicit Lock(const std::byte* p);
    ~Lock();
    Lock(const Lock&) = delete;

   private:
    std::size_t stripe_;
  };

  bool alone_;
};

}  // namespace ptox
