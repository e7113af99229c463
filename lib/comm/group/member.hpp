// SPDX-License-Identifier: Apache-2.0
// One rank of a group, independent of its engine.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "comm/group/engine.hpp"
#include "comm/group/reserved.hpp"
#include "engine/core/core.hpp"
#include "engine/core/rank.hpp"

namespace ptox::comm {

/// A rank's device, its addresses for the memory of all ranks, and its waits, which throw when the group ends.
class Member final : public RankView {
 public:
  /// `order` is the order between ranks of one process, for the race check; nullptr if it is not checked.
  Member(std::unique_ptr<Fabric> fabric, const RanksOptions& options, RankOrder* order = nullptr);
  ~Member() override;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  Fabric& fabric() { return *fabric_; }
  int id() const override { return id_; }
  int size() const { return size_; }
  Device& device() { return device_; }

  /// Allocates symmetric memory and returns its offset. Throws RanksError when the group has failed.
  std::size_t allocate(std::int64_t count, std::size_t element_bytes);
  /// The address of a byte of a rank's memory: that of the engine, or for unmapped memory a reserved address that
  /// instructions accept but that cannot be dereferenced.
  std::byte* at(int rank, std::size_t offset) const;
  /// The inverse of `at`; nullopt if the address is not in symmetric memory.
  std::optional<Place> locate(const void* at) const override;
  /// Whether the memory of some rank is accessible by put and get only.
  bool unmapped() const override { return reserved_.any(); }
  /// Whether this address is in such memory.
  bool remote(const void* at) const override { return reserved_.locate(at).has_value(); }

  Deadline deadline() const { return Time::now() + options_.deadline; }
  std::chrono::milliseconds patience() const { return options_.deadline; }

  RankOrder* order() const override { return order_; }

  bool load(Core&, Machine&, const pto::instr::Tload::Operands&) override;
  bool store(Core&, Machine&, const pto::instr::Tstore::Operands&) override;
  bool notify(std::byte* signal, pto::comm::NotifyOp op, std::int32_t value) override;
  bool test_signal(const std::byte* signal, pto::comm::WaitCmp cmp, std::int32_t value) override;
  void wait_signal(Core&, pto::instr::Site, const std::byte* signal, pto::comm::WaitCmp cmp,
                   std::int32_t value) override;

  /// Waits for all ranks. `op` is the call that the barrier is part of, a string literal for messages about time-outs.
  /// Throws RanksError when the group fails.
  void barrier(const char* op = "barrier");
  /// Whether all other ranks have returned or died.
  bool left_alone();
  /// Whether every other rank that still runs last executed a TTEST.
  bool all_look();
  /// Called after a TTEST whose comparison was false. Throws RanksError when tests of the same signal have failed for
  /// the length of the deadline and meanwhile all other ranks had returned, had died or only tested signals too.
  void looked_in_vain(const void* signal);
  /// Waits until done() holds and returns true, or returns false at `until`. Throws RanksError when the group fails.
  template <class Done>
  bool wait(Done&& done, Deadline until);
  /// Throws RanksError if the group has failed.
  void go_on();
  /// Ends the group with an error of this rank.
  void fail(FindingKind kind, const std::string& sentence);
  /// The states of ranks as text: "rank 2 (last in tscatter, 3 of 8 rows delivered), rank 3 (returned, last in
  /// barrier)"
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
  RankOrder* order_;
  std::uint64_t barriers_ = 0;  ///< how many barriers this rank has arrived at
  Reserved reserved_;
  const char* waits_in_ = "barrier";  ///< the call whose barrier this rank arrived at last
  std::mutex vain_mutex_;             ///< blocks of a launch may test signals at the same time
  const void* vain_ = nullptr;        ///< the signal of the latest unsuccessful TTEST, and when its series began
  Deadline vain_since_;
  std::vector<const void*> known_;  ///< the memory that this rank added to the registry of allocations
};

/// The rank on whose behalf this thread runs; nullptr if there is none. All ranks are objects of this class.
inline Member* current_member() { return static_cast<Member*>(current_rank()); }
inline Member* process_member() { return static_cast<Member*>(process_rank()); }
/// The rank of the block that runs on a core.
inline Member* member_of(const Core& core) { return static_cast<Member*>(core.run().rank); }

/// Runs the body as this rank. Returns false if it threw, which becomes the failure of the group.
bool run_rank(Member& member, const detail::RankBody& body, std::string& answer);

[[noreturn]] void throw_failure(const Failure& failure);

template <class Done>
bool Member::wait(Done&& done, Deadline until) {
  constexpr int quick_looks = 64;
  constexpr std::chrono::milliseconds most_asleep{50};  // done() may depend on state that rings no bell: poll it
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
