// SPDX-License-Identifier: Apache-2.0
// One rank of a group, independent of its engine.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "comm/engine.hpp"
#include "comm/reserved.hpp"
#include "core/core.hpp"
#include "observe/rank_order.hpp"

namespace ptox::comm {

/// A rank's device, its addresses of all ranks' memory, and its waits, which end when the group does.
class Member {
 public:
  /// `watch` takes what ranks of one process do to each other's memory; null: nobody does.
  Member(std::unique_ptr<Fabric> fabric, const RanksOptions& options, RankWatch* watch = nullptr);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  Fabric& fabric() { return *fabric_; }
  int id() const { return id_; }
  int size() const { return size_; }
  Device& device() { return device_; }

  std::size_t allocate(std::int64_t count, std::size_t element_bytes);
  /// Rank r's byte as an address: the engine's, or one that only instructions may use.
  std::byte* at(int rank, std::size_t offset) const;
  /// The inverse; nullopt: no symmetric memory.
  std::optional<Place> locate(const void* at) const;
  /// Whether some rank's memory is reached by put and get only.
  bool unmapped() const { return reserved_.any(); }
  /// Whether this address is such memory.
  bool remote(const void* at) const { return reserved_.locate(at).has_value(); }

  Deadline deadline() const { return Time::now() + options_.deadline; }
  std::chrono::milliseconds patience() const { return options_.deadline; }

  RankWatch* watch() const { return watch_; }
  /// A byte of symmetric memory as the watch knows it.
  static std::uint64_t watched(Place place) { return static_cast<std::uint64_t>(place.rank) << 44 | place.offset; }

  /// `op` is the call that it is part of, a literal: for whoever waits in vain.
  void barrier(const char* op = "barrier");
  /// Whether no other rank is left that could still do something.
  bool left_alone();
  /// Whether the others that are left only look at signals too.
  bool all_look();
  /// A signal was looked at in vain. Throws RanksError when that goes on though nobody is left to change it.
  void looked_in_vain(const void* signal);
  /// Until done() or the deadline, which is false. Throws RanksError when the group has failed.
  template <class Done>
  bool wait(Done&& done, Deadline until);
  /// Throws RanksError when the group has failed.
  void go_on();
  /// Ends the group with this error of this rank.
  void fail(FindingKind kind, const std::string& sentence);
  /// "rank 2 (tscatter, 3 of 8 rows delivered), rank 3 (returned)"
  std::string describe(const std::vector<int>& ranks);
  std::string describe_others();

 private:
  void pass_barrier(std::uint64_t number);
  bool barrier_done(std::uint64_t number);
  std::uint64_t pulses(const std::vector<int>& ranks);
  [[noreturn]] void never_came(const std::vector<int>& ranks, const std::string& why, FindingKind kind);

  std::unique_ptr<Fabric> fabric_;
  RanksOptions options_;
  int id_, size_;
  Device device_;
  RankWatch* watch_;
  std::uint64_t barriers_ = 0;  ///< that this rank came to
  Reserved reserved_;
  const char* waits_in_ = "barrier";  ///< the call whose barrier this rank came to last
  std::mutex vain_mutex_;             ///< blocks of a launch may look at once
  const void* vain_ = nullptr;        ///< the signal that was looked at last, in vain, and when that began
  Deadline vain_since_;
  std::vector<const void*> known_;  ///< to the registry
};

/// The rank that this thread works for; null outside run_ranks.
Member* current_member();

/// The thread works for that rank for as long as it lives.
class MemberScope {
 public:
  explicit MemberScope(Member* member);
  ~MemberScope();
  MemberScope(const MemberScope&) = delete;
  MemberScope& operator=(const MemberScope&) = delete;

 private:
  Member* before_;
};

/// Runs the body as this rank; what it threw becomes the group's failure. False: it did not return.
bool run_rank(Member& member, const detail::RankBody& body, std::string& answer);

[[noreturn]] void throw_failure(const Failure& failure);

template <class Done>
bool Member::wait(Done&& done, Deadline until) {
  constexpr int quick_looks = 64;
  constexpr std::chrono::milliseconds most_asleep{50};  // what no bell rings for is looked at again
  for (int looked = 0;; ++looked) {
    const std::uint32_t seen = fabric_->bell();
    if (done()) return true;
    go_on();
    const Deadline now = Time::now();
    if (now >= until) return false;
    if (looked >= quick_looks) fabric_->sleep(seen, std::min(until, now + most_asleep));
  }
}

}  // namespace ptox::comm
