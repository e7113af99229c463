// SPDX-License-Identifier: Apache-2.0
// Happens-before race detection between ranks over symmetric memory.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/core/rank.hpp"
#include "observe/order.hpp"
#include "observe/range_map.hpp"
#include "pto/isa/effect.hpp"

namespace ptox {

/// Finds races between the ranks of one process. The edges of happens-before are those of RankOrder and program order
/// within a rank. Thread-safe.
class RankWatch final : public RankOrder {
 public:
  explicit RankWatch(int ranks);

  /// An access of a rank, for the history and for a message.
  struct Toucher {
    int rank;
    pto::instr::Access access;
    Names::Entry entry;
    std::uint64_t at = 0;  ///< of a conflict: its first byte
  };
  /// Records an access to [begin, end). Returns an access of another rank that conflicts with it and is not ordered
  /// with it, if any.
  std::optional<Toucher> see(const Toucher& now, std::uint64_t begin, std::uint64_t end);

  void notifies(int rank, RankPlace signal) override;
  void has_seen(int rank, RankPlace signal) override;
  void arrives(int rank, std::uint64_t barrier) override;
  void leaves(int rank, std::uint64_t barrier) override;

  /// The number by which this class identifies a byte of symmetric memory.
  static std::uint64_t number_of(RankPlace place) {
    return static_cast<std::uint64_t>(place.rank) << 44 | place.offset;
  }

 private:
  /// A vector clock: for each rank, the time up to which its accesses happened before.
  using Clock = std::vector<std::uint32_t>;
  static void join(Clock& to, const Clock& from);

  struct Touch {
    int rank = -1;
    std::uint32_t time = 0, who = 0;
    bool operator==(const Touch&) const = default;
  };
  struct Cell {
    Touch write;
    std::vector<Touch> reads, updates;  ///< the last of each rank since `write`
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
