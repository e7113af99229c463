// SPDX-License-Identifier: Apache-2.0
#include "observe/rank_order.hpp"

#include <algorithm>

namespace ptox {

using pto::instr::Access;

RankWatch::RankWatch(int ranks) {
  for (int r = 0; r < ranks; ++r) {
    clocks_.emplace_back(static_cast<std::size_t>(ranks));
    clocks_.back()[static_cast<std::size_t>(r)] = 1;
  }
}

void RankWatch::join(Clock& to, const Clock& from) {
  to.resize(std::max(to.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

void RankWatch::keep(std::vector<Touch>& touches, const Touch& touch) {
  const auto same = std::find_if(touches.begin(), touches.end(), [&](const Touch& t) { return t.rank == touch.rank; });
  if (same == touches.end())
    touches.push_back(touch);
  else
    *same = touch;
}

/// A recorded access that conflicts with this one and is not ordered with it, or nullptr. Atomic updates do not
/// conflict with each other.
const RankWatch::Touch* RankWatch::conflict(const Cell& cell, const Toucher& now, Access& theirs) {
  const auto unordered = [&](const std::vector<Touch>& touches) -> const Touch* {
    for (const Touch& t : touches)
      if (!before(t, now.rank)) return &t;
    return nullptr;
  };
  theirs = Access::write;
  if (!before(cell.write, now.rank)) return &cell.write;
  theirs = Access::update;
  if (const Touch* t = now.access == Access::update ? nullptr : unordered(cell.updates)) return t;
  theirs = Access::read;
  return now.access == Access::read ? nullptr : unordered(cell.reads);
}

std::optional<RankWatch::Toucher> RankWatch::see(const Toucher& now, std::uint64_t begin, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  const Touch touch{now.rank, clock(now.rank)[static_cast<std::size_t>(now.rank)],
                    names_.number(now.entry.mnemonic, now.entry.operand, now.entry.site)};
  std::optional<Toucher> found;
  cells_.visit(begin, end, [&](Cell& cell, std::uint64_t first) {
    Access theirs{};
    if (const Touch* t = found ? nullptr : conflict(cell, now, theirs))
      found = Toucher{t->rank, theirs, names_[t->who], std::max(begin, first)};
    if (now.access == Access::read) return keep(cell.reads, touch);
    if (now.access == Access::update) return keep(cell.updates, touch);
    cell = {.write = touch, .reads = {}, .updates = {}};
  });
  return found;
}

std::unique_ptr<RankOrder> make_rank_order(int ranks) { return std::make_unique<RankWatch>(ranks); }

void RankWatch::notifies(int rank, RankPlace signal) {
  const std::lock_guard lock(mutex_);
  join(signals_[number_of(signal)], clock(rank));
  ++clock(rank)[static_cast<std::size_t>(rank)];
}

void RankWatch::has_seen(int rank, RankPlace signal) {
  const std::lock_guard lock(mutex_);
  if (const auto it = signals_.find(number_of(signal)); it != signals_.end()) join(clock(rank), it->second);
}

void RankWatch::arrives(int rank, std::uint64_t barrier) {
  const std::lock_guard lock(mutex_);
  join(barriers_[barrier].clock, clock(rank));
  ++clock(rank)[static_cast<std::size_t>(rank)];
}

void RankWatch::leaves(int rank, std::uint64_t barrier) {
  const std::lock_guard lock(mutex_);
  Barrier& b = barriers_[barrier];
  join(clock(rank), b.clock);
  if (b.left++ == 0) cells_.clear();  // the first to leave: all have arrived, with no access since
  if (b.left == static_cast<int>(clocks_.size())) barriers_.erase(barrier);
}

}  // namespace ptox
