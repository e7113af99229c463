// SPDX-License-Identifier: Apache-2.0
// Makes updates of global memory atomic: without a lock while no other thread can update, otherwise with one lock per
// page.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ptox {

/// The thread may update global memory for as long as one lives: it runs a block, or plain calls. Begins when no update
/// is under way that counts on being alone.
class Updater {
 public:
  Updater() { begin(); }
  ~Updater() { end(); }
  Updater(const Updater&) = delete;
  Updater& operator=(const Updater&) = delete;

  /// The same where no scope fits; begins and ends nest, on one thread.
  static void begin();
  static void end() noexcept;
};

/// The locks, where other processes are to see them.
struct UpdateLocks {
  static constexpr std::size_t count = 1024, apart = 64, bytes = count * apart;
  /// From now on they lie in zeroed memory that processes share, and nobody counts on being alone. `while_waiting` is
  /// called now and then by whoever waits for one, and may throw: the holder may have died.
  static void share(void* memory, void (*while_waiting)());
};

/// The updates of one instruction: nobody else's come between the reads and the writes of each.
class Updates {
 public:
  Updates();
  ~Updates();
  Updates(const Updates&) = delete;
  Updates& operator=(const Updates&) = delete;

  /// Whether no other thread can update before this object dies.
  bool alone() const { return alone_; }

  /// Calls update() for one element.
  template <class F>
  void element(const std::byte* to, F&& update) {
    if (alone_) return update();
    const Lock lock(to);
    update();
  }
  /// Calls update(first byte, bytes) for pieces of a run of elements of `size` bytes. An element belongs to the page of
  /// its first byte.
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
