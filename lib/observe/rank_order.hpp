// SPDX-License-Identifier: Apache-2.0
// Happens-before race detection between ranks over symmetric memory.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "observe/order.hpp"
#include "observe/range_map.hpp"
#include "pto/isa/effect.hpp"

namespace ptox {

/// Happens-before between the ranks of one process: what a rank does is in order, a notify before the wait that sees
/// it, everything before a barrier before everything after it. Shared by all of them.
class RankWatch {
 public:
  explicit RankWatch(int ranks);

  /// An access of a rank, for the history and for a message.
  struct Toucher {
    int rank;
    pto::instr::Access access;
    Names::Entry entry;
  };
  /// Remembers an access to [begin, end); another rank's that it conflicts with and that nothing orders, if any.
  std::optional<Toucher> see(const Toucher& now, std::uint64_t begin, std::uint64_t end);

  /// The rank is about to change a signal; it has seen that it was changed.
  void notifies(int rank, std::uint64_t signal);
  void has_seen(int rank, std::uint64_t signal);
  /// The rank comes to that barrier; it leaves it.
  void arrives(int rank, std::uint64_t barrier);
  void leaves(int rank, std::uint64_t barrier);

 private:
  /// For each rank, how much of its work comes before.
  using Clock = std::vector<std::uint32_t>;
  static void join(Clock& to, const Clock& from);

  struct Touch {
    int rank = -1;
    std::uint32_t time = 0, who = 0;
    bool operator==(const Touch&) const = default;
  };
  struct Cell {
    Touch write;
    std::vector<Touch> reads, updates;  ///< the last of each rank since then
    bool operator==(const Cell&) const = default;
  };
  struct Barrier {
    Clock clock;
    int left = 0;
  };
  Clock& clock(int rank) { return clocks_[static_cast<std::size_t>(rank)]; }
  bool before(const Touch& touch, int rank) {
    return touch.rank < 0 || touch.rank == rank || touch.time <= clock(rank)[static_cast<std::size_t>(touch.rank)];
  }
  static void keep(std::vector<Touch>& touches, const Touch& touch);
  const Touch* conflict(const Cell& cell, const Toucher& now, pto::instr::Access& theirs);

  std::mutex mutex_;
  std::vector<Clock> clocks_;
  std::map<std::uint64_t, Clock> signals_;
  std::map<std::uint64_t, Barrier> barriers_;
  RangeMap<Cell> cells_;
  Names names_;
};

}  // namespace ptox
