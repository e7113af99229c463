// SPDX-License-Identifier: Apache-2.0
// The memory of a group of ranks that are separate programs: its layout, and how a rank joins.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "comm/group/board.hpp"
#include "comm/group/shared_fabric.hpp"

namespace ptox::comm::hccl {

inline constexpr int most_ranks = 64;  // of the arrays in a CommDeviceContext

/// A process that has joined; 0 in `process` before it comes.
struct Joined {
  static constexpr std::int64_t coming = -1;  ///< the seat is taken, and `started` is being written
  std::atomic<std::int64_t> process = 0;
  std::atomic<std::uint64_t> started = 0;  ///< tells the process from a later one with the same number
};

/// The first bytes of the file, before the group is complete. Plain data and lock-free atomics, because a process may
/// die at any point.
struct Lobby {
  std::uint64_t window_bytes = 0;             ///< of each rank; set by the process that opened the group
  std::uint64_t slot_bytes = 0;               ///< distance between the windows of two ranks
  std::atomic<std::int32_t> ranks = 0;        ///< how many there are to be: set by the first that joins
  std::atomic<std::int32_t> came = 0;         ///< how many have joined
  std::atomic<std::uint32_t> bell = 0;        ///< a futex that changes when one of the others does
  std::atomic<std::uint32_t> board_made = 0;  ///< 0: not yet; 1: under way; 2: done
  std::atomic<std::uint32_t> failing = 0, failed = 0;
  char sentence[1000] = {};  ///< why the group failed; valid if `failed`
  Joined joined[most_ranks];
};

/// The file of a group, mapped.
class Session {
 public:
  /// The descriptor of a new file for a group, whose ranks have windows of that size. Throws std::system_error.
  static int open_new(std::size_t window_bytes);
  /// Maps the lobby of a file, and owns the descriptor. Throws std::system_error.
  explicit Session(int descriptor);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// How long a rank waits for the others to join, and the name of the setting that limits it.
  struct Patience {
    std::chrono::milliseconds most;
    const char* setting;
  };
  /// Takes the seat of `rank` among `ranks` and waits until all others have come. Returns the reason if that fails.
  struct Refusal {
    enum class Why : std::uint8_t { wrong_call, timed_out, lost_rank } why;
    std::string sentence;
  };
  std::optional<Refusal> join(int ranks, int rank, Patience patience);

  bool complete() const;
  /// The size of a window, as the process that opened the group chose it.
  std::size_t window() const { return lobby_->window_bytes; }
  Board& board() { return *board_; }
  const Heap& heap() const { return heap_; }
  void* locks() const;
  /// Whether the process of a rank still runs.
  bool runs(int rank) const;

 private:
  std::optional<Refusal> take_seat(int ranks, int rank);
  Refusal fail(Refusal::Why why, const std::string& sentence);
  std::string missing() const;
  std::optional<int> ended() const;
  void map_group(int ranks);
  void ring();

  int file_;
  Lobby* lobby_;
  std::byte* group_ = nullptr;  ///< board and windows, mapped after the group is complete
  std::size_t group_bytes_ = 0;
  Board* board_ = nullptr;
  Heap heap_{};
};

}  // namespace ptox::comm::hccl
