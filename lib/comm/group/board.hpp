// SPDX-License-Identifier: Apache-2.0
// The state that ranks publish to each other in shared memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/group/engine.hpp"

namespace ptox::comm {

/// The name of an operation, stored as text, because the address of a string literal differs between programs. A reader
/// that runs at the same time as a writer may see a mixture of two names, so names are for messages only.
class OpName {
 public:
  /// Names are truncated to 15 characters.
  void set(const char* name);
  /// Empty before the first operation.
  std::string text() const;

  static constexpr std::size_t words = 2;
  using Words = std::array<std::uint64_t, words>;
  /// The name as plain data, for messages between machines.
  Words load() const;
  void store(const Words& name);

 private:
  std::atomic<std::uint64_t> words_[words] = {};
};

/// The part of the board that belongs to one rank.
struct alignas(64) Seat {
  enum State : std::uint32_t { running, returned, lost };
  std::atomic<std::uint32_t> bell = 0, sleepers = 0;  ///< count of wake-ups, a futex; threads that wait for it
  std::atomic<std::uint32_t> state = running;
  std::atomic<std::uint64_t> barriers = 0;  ///< how many barriers the rank has arrived at
  std::atomic<std::uint64_t> pulse = 0;     ///< changes when the rank delivers rows
  OpName op;
  std::atomic<std::int64_t> rows = 0, of_rows = 0;  ///< delivered rows of the current operation, and their total
};

/// The board is in memory that all ranks and their watcher (the thread or process that started them) share. It consists
/// of plain data and lock-free atomics, because a rank may die at any point.
class Board {
 public:
  /// Allocates a board for n ranks in shared memory. Throws std::system_error.
  static Board* create(int n);
  static void destroy(Board* board) noexcept;
  /// Constructs a board in shared memory that the caller provides, at least bytes_for(n) bytes.
  static Board* create_in(void* memory, int n);
  static std::size_t bytes_for(int n);

  int size() const { return size_; }
  Seat& seat(int rank) { return seats_[rank]; }
  const Seat& seat(int rank) const { return seats_[rank]; }
  /// The seat of the watcher, which follows those of the ranks.
  int watcher() const { return size_; }

  /// Increments the bell of a seat and wakes the threads that sleep there.
  void ring(int seat);
  void ring_all();
  /// Sleeps while the bell of the seat is `seen`, at most until the deadline; may return early.
  void sleep(int seat, std::uint32_t seen, Deadline deadline);

  /// Records that the rank has arrived at its next barrier, and returns the number of that barrier, counted from 1.
  std::uint64_t arrive(int rank);
  bool all_arrived(std::uint64_t barrier) const;

  /// Records the failure that ends the group, unless one is recorded already.
  void fail(const Failure& failure);
  /// The same, also where a rank may have died while it recorded a failure: if none becomes visible within 100 ms, this
  /// one is recorded.
  void fail_for_sure(const Failure& failure);
  bool failed() const { return failed_.load(std::memory_order_acquire) != 0; }
  Failure failure() const;

  /// Compares the size of a rank's allocation number `nth` with that of the rank that made it first. Returns the
  /// failure if the sizes differ or there are too many allocations.
  std::optional<Failure> asked(std::size_t nth, std::size_t bytes, int rank);

 private:
  explicit Board(int n) : size_(n) {}
  void write(const Failure& failure);

  static constexpr std::size_t most_named = 64, most_asked = 4096;
  int size_;
  std::atomic<std::uint64_t> arrivals_ = 0;
  std::atomic<std::uint32_t> failing_ = 0, failed_ = 0;
  std::optional<FindingKind> kind_;
  char sentence_[4000] = {};
  std::size_t named_ = 0;
  std::array<int, most_named> ranks_{};
  std::array<std::atomic<std::size_t>, most_asked> asked_{};
  Seat seats_[];  // NOLINT: flexible array member of size_ + 1 seats
};

}  // namespace ptox::comm
