// SPDX-License-Identifier: Apache-2.0
// A rank of a group, as the engine and the observers see it; lib/comm implements the interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "pto/comm/signal_ops.hpp"
#include "pto/isa/tload.hpp"
#include "pto/isa/tstore.hpp"

namespace ptox {

class Core;
class Machine;

/// The location of a byte of symmetric memory.
struct RankPlace {
  int rank = 0;
  std::size_t offset = 0;
};

/// Happens-before between the ranks of one process, which share this object: a notify comes before the wait that
/// observes it, and a barrier orders all ranks. Thread-safe. lib/observe implements it.
class RankOrder {
 public:
  virtual ~RankOrder() = default;
  /// `notifies`: the rank is about to change a signal. `has_seen`: it has observed a change of the signal.
  virtual void notifies(int rank, RankPlace signal) = 0;
  virtual void has_seen(int rank, RankPlace signal) = 0;
  /// `arrives`: the rank arrives at a barrier. `leaves`: it has passed the barrier.
  virtual void arrives(int rank, std::uint64_t barrier) = 0;
  virtual void leaves(int rank, std::uint64_t barrier) = 0;
};
std::unique_ptr<RankOrder> make_rank_order(int ranks);

class RankView {
 public:
  virtual ~RankView() = default;
  virtual int id() const = 0;
  /// The place of an address in symmetric memory; nullopt if it is elsewhere.
  virtual std::optional<RankPlace> locate(const void* at) const = 0;
  /// Whether the memory of some rank is accessible by put and get only, and whether this address is in such memory.
  virtual bool unmapped() const = 0;
  virtual bool remote(const void* at) const = 0;
  /// The order between ranks, for the race check; nullptr if it is not checked.
  virtual RankOrder* order() const = 0;

  // Both execute a transfer whose tensor is in unmapped memory. They return false, without effect, if it is mapped.
  virtual bool load(Core&, Machine&, const pto::instr::Tload::Operands&) = 0;
  virtual bool store(Core&, Machine&, const pto::instr::Tstore::Operands&) = 0;

  /// Updates a signal in symmetric memory. Returns false, without effect, if the signal is elsewhere.
  virtual bool notify(std::byte* signal, pto::comm::NotifyOp op, std::int32_t value) = 0;
  /// Throws RanksError when the group has failed.
  virtual bool test_signal(const std::byte* signal, pto::comm::WaitCmp cmp, std::int32_t value) = 0;
  /// Waits for a signal; ends the group when it does not come.
  virtual void wait_signal(Core&, pto::instr::Site, const std::byte* signal, pto::comm::WaitCmp cmp,
                           std::int32_t value) = 0;
};

/// The rank on whose behalf this thread runs; nullptr if there is none.
RankView* current_rank();

/// The rank of the whole process, which is current on every thread without a RankScope: a program that joined by HCCL
/// is one rank. nullptr: the process is no rank.
void set_process_rank(RankView* rank);
RankView* process_rank();

/// While an object of this class lives, its thread runs on behalf of that rank.
class RankScope {
 public:
  explicit RankScope(RankView* rank);
  ~RankScope();
  RankScope(const RankScope&) = delete;
  RankScope& operator=(const RankScope&) = delete;

 private:
  RankView* before_;
};

}  // namespace ptox
