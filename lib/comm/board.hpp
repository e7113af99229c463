// SPDX-License-Identifier: Apache-2.0
// State that ranks with shared memory publish to each other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/engine.hpp"

namespace ptox::comm {

/// One rank's part of the board.
struct alignas(64) Seat {
  enum State : std::uint32_t { running, returned, lost };
  std::atomic<std::uint32_t> bell = 0, sleepers = 0;
  std::atomic<std::uint32_t> state = running;
  std::atomic<std::uint64_t> barriers = 0;  ///< that it has come to
  std::atomic<std::uint64_t> pulse = 0;
  std::atomic<const char*> op = nullptr;  ///< a literal, at one address in all forked ranks
  std::atomic<std::int64_t> rows = 0, of_rows = 0;
};

/// In memory that all ranks and the one who watches them share. Plain data and lock-free atomics: a rank may die at any
/// point.
class Board {
 public:
  /// A board for n ranks, in shared memory.
  static Board* create(int n);
  static void destroy(Board* board) noexcept;
  /// The same in memory that somebody else shared.
  static Board* create_in(void* memory, int n);
  static std::size_t bytes_for(int n);

  int size() const { return size_; }
  Seat& seat(int rank) { return seats_[rank]; }
  const Seat& seat(int rank) const { return seats_[rank]; }
  /// The one who started the ranks has the seat after the last.
  int watcher() const { return size_; }

  void ring(int seat);
  void ring_all();
  void sleep(int seat, std::uint32_t seen, Deadline deadline);

  std::uint64_t arrive(int rank);
  bool all_arrived(std::uint64_t barrier) const;

  void fail(const Failure& failure);
  /// The same where the rank that was about to say why may have died while it did.
  void fail_for_sure(const Failure& failure);
  bool failed() const { return failed_.load(std::memory_order_acquire) != 0; }
  Failure failure() const;

  /// The n-th allocation of a rank, in bytes: what is wrong with it, nothing if it is the first rank's too.
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
  Seat seats_[];  // NOLINT: as many as there are ranks, and one
};

}  // namespace ptox::comm
