// SPDX-License-Identifier: Apache-2.0
// One AI core while a block runs on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/flag_book.hpp"
#include "engine/core/index_tiles.hpp"
#include "engine/core/pipes.hpp"
#include "engine/core/record.hpp"
#include "engine/core/schedule.hpp"
#include "engine/core/store_run.hpp"
#include "engine/core/turns.hpp"
#include "engine/memory/data_cache.hpp"
#include "engine/memory/space.hpp"
#include "engine/memory/updates.hpp"
#include "engine/report/findings.hpp"
#include "observe/order.hpp"
#include "observe/timeline.hpp"
#include "pto/tile/place.hpp"
#include "ptox/device.hpp"
#include "ptox/target.hpp"

namespace ptox {

struct TileMoves;
class RankView;

/// The parameters with which a block starts.
struct BlockRun {
  int block = 0, blocks = 1;
  std::uint64_t seed = 0;
  bool poisoned = true;
  std::size_t dyn_ub_bytes = 0;
  bool direct = false;
  GlobalWatch* global = nullptr;  ///< accesses to global memory by all blocks of the launch; nullptr: by this one
  const Turn* turn = nullptr;     ///< for several blocks in progress, of which one runs at a time; nullptr: one block
  std::size_t events = Timeline::most_events;  ///< maximum number in its timeline
  std::int64_t cache_bytes = 0;                ///< this block's share of the host's last-level cache; 0: no limit
  RankView* rank = nullptr;                    ///< the rank for which the block runs; nullptr: none
};

/// An AI core: its buffers, its findings, and the state of the block that runs on it. Used by one thread at a time.
class Core {
 public:
  Core(const Target& target, Check check);

  const Target& target() const { return *target_; }
  bool checked() const { return check_ == Check::all; }
  /// Whether the core is the unchecked host without unmapped ranks, where instructions only execute their body.
  bool bare() const { return target_->native && !checked() && !unmapped_; }
  /// Whether tensors may lie at ranks whose memory is not mapped here.
  bool unmapped() const { return unmapped_; }
  void set_check(Check check) { check_ = check; }
  const BlockRun& run() const { return run_; }
  /// A number unique to each run of a block. A place that auto mode chose in another epoch is no longer valid.
  std::uint64_t epoch() const { return epoch_; }

  /// Starts a block: its buffers are free, and poisoned if `run.poisoned`.
  void start(const BlockRun& run);
  /// Starts the next launch of plain calls while tiles of the last one are still alive. The end of the last launch has
  /// ordered and published everything before.
  void go_on();

  /// Ends the block: executes what is queued and reports flags that are still set.
  void finish();
  /// Ends the block early: drops what is queued; instructions that the kernel issues later do nothing.
  void end();
  bool ended() const { return ended_; }
  /// Reports the waits that block their pipes forever and ends the block. `because` is inserted after "nothing sets
  /// it".
  void deadlocked(const std::string& because);

  /// The number of the current instruction in program order. `next_step` starts a new one, `resume` returns to one that
  /// was queued.
  std::uint32_t step() const { return step_; }
  std::uint32_t next_step() { return step_ = ++steps_; }
  void resume(std::uint32_t step) { step_ = step; }

  /// The recorder of the block's steps, or nullptr.
  Recorder* recorder() const { return recorder_; }

  /// How a pipe accesses global memory. The data cache is modelled only with a seed: S and V go through it, other pipes
  /// bypass it.
  CacheView cache_of(pipe_t pipe) {
    if (run_.seed == 0 || target_->native) return {};
    return {&cache_, pipe == PIPE_S || pipe == PIPE_V};
  }
  DataCache& cache() { return cache_; }

  /// A sentence for a message about a flag between the two pipes, in either direction, that is set and never waited
  /// for; empty if there is none.
  std::string unmatched_text(pipe_t src, pipe_t dst, const pto::instr::Site& seen_from) const;

  Pipes& pipes() { return pipes_; }
  const Pipes& pipes() const { return pipes_; }
  FlagBook& flags() { return flags_; }
  Schedule& schedule() { return schedule_; }
  OrderWatch& order() { return order_; }
  Timeline& time() { return time_; }
  /// Whether an address lies in one of the core's buffers, not in global memory.
  bool in_buffer(const std::byte* p) {
    return std::any_of(spaces_.begin(), spaces_.end(), [&](const Space& s) { return s.contains(p); });
  }
  StoreRun& stores() { return stores_; }
  LoadRun& loads() { return loads_; }
  IndexTiles& indices() { return indices_; }
  pto::instr::Hints& hints() { return hints_; }
  /// The host's functions for moves, chosen when the block started.
  const TileMoves& moves() const { return *moves_; }
  /// Issues a store fence if the block made non-temporal stores, so that other threads see these before anything that
  /// the block does later.
  void publish_stores();
  Space& space(pto::TileType t) { return spaces_[static_cast<std::size_t>(space_of(t))]; }

  void report(FindingDraft draft, const pto::instr::Site& site) { log_.add(std::move(draft), site, run_.block); }
  FindingLog& log() { return log_; }

 private:
  void report_stuck(const std::string& because);

  const Target* target_;
  Check check_;
  BlockRun run_;
  std::uint64_t epoch_ = 0;
  std::uint32_t steps_ = 0, step_ = 0;
  bool ended_ = false, unmapped_ = false;
  Recorder* recorder_ = nullptr;
  std::array<Space, space_count> spaces_;
  const TileMoves* moves_ = nullptr;
  LoadRun loads_;
  IndexTiles indices_;
  pto::instr::Hints hints_;
  StoreRun stores_;
  Pipes pipes_;
  FlagBook flags_;
  Schedule schedule_{*this};
  DataCache cache_;
  OrderWatch order_;
  Timeline time_;
  GlobalWatch own_global_;
  FindingLog log_;
};

/// Reports an operand whose base is a null pointer; the instruction does nothing.
void report_null(Core& core, const std::string& mnemonic, const char* operand, std::int64_t elements,
                 const pto::instr::Site& site);

/// The core on which this thread runs a block; nullptr outside launches.
inline constinit thread_local Core* launched_core = nullptr;
/// The same; outside launches the thread's core for plain calls, created on first use.
Core& current_core();
/// The same, or nullptr if the thread has no core yet.
Core* existing_core();
/// Whether the thread runs a block of a launch.
bool in_launch();

/// Makes a core the current one of the thread, which may update global memory, for the lifetime of this object.
class CoreScope {
 public:
  explicit CoreScope(Core& core);
  ~CoreScope();
  CoreScope(const CoreScope&) = delete;
  CoreScope& operator=(const CoreScope&) = delete;

 private:
  Updater updater_;
  Core* before_;
};

}  // namespace ptox
