// SPDX-License-Identifier: Apache-2.0
// One AI core while a block runs on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/data_cache.hpp"
#include "core/findings.hpp"
#include "core/flag_book.hpp"
#include "core/index_tiles.hpp"
#include "core/pipes.hpp"
#include "core/record.hpp"
#include "core/schedule.hpp"
#include "core/space.hpp"
#include "core/store_run.hpp"
#include "core/turns.hpp"
#include "core/updates.hpp"
#include "observe/order.hpp"
#include "observe/timeline.hpp"
#include "pto/tile/place.hpp"
#include "ptox/device.hpp"
#include "ptox/target.hpp"

namespace ptox {

struct TileMoves;
namespace comm {
class Member;
}

/// What a block is told about its launch.
struct BlockRun {
  int block = 0, blocks = 1;
  std::uint64_t seed = 0;
  bool poisoned = true;
  std::size_t dyn_ub_bytes = 0;
  bool direct = false;
  GlobalWatch* global = nullptr;  ///< what all blocks of the launch did to global memory; null: the core's own
  const Turn* turn = nullptr;     ///< blocks under way take turns
  std::size_t events = Timeline::most_events;  ///< that its timeline may keep
  std::int64_t cache_bytes = 0;                ///< of the host's shared cache, this block's share; 0: all it needs
  comm::Member* member = nullptr;              ///< the rank that it works for; null: none
};

/// Buffers, findings and the launch it serves. Used by one thread at a time.
class Core {
 public:
  Core(const Target& target, Check check);

  const Target& target() const { return *target_; }
  bool checked() const { return check_ == Check::all; }
  /// The host, unchecked: an instruction is its body and nothing else.
  bool bare() const { return target_->native && !checked() && !unmapped_; }
  /// Some tensors may lie at ranks whose memory this one cannot load and store.
  bool unmapped() const { return unmapped_; }
  void set_check(Check check) { check_ = check; }
  const BlockRun& run() const { return run_; }
  /// Tells runs of blocks apart: a tile placed in an earlier one has lost its place.
  std::uint64_t epoch() const { return epoch_; }

  /// A block begins: buffers are free, and poisoned unless the run says otherwise.
  void start(const BlockRun& run);
  /// The next plain launch begins with tiles that still live: the end of the last one ordered and published all.
  void go_on();

  /// The block is over: queues run empty, and flags that are still set are leaks.
  void finish();
  /// Ends the block: what is queued is dropped, and what the kernel still issues does nothing.
  void end();
  bool ended() const { return ended_; }
  /// Says which waits hold their pipes for ever, `because` completing "nothing sets it", and ends the block.
  void deadlocked(const std::string& because);

  /// Steps of the kernel as it is written, counted; the one at hand, the next one, and one that waited in a queue.
  std::uint32_t step() const { return step_; }
  std::uint32_t next_step() { return step_ = ++steps_; }
  void resume(std::uint32_t step) { step_ = step; }

  /// Takes every step of the block, or null.
  Recorder* recorder() const { return recorder_; }

  /// How work on a pipe meets the data cache: with a seed, S and V go through it and the others past it.
  CacheView cache_of(pipe_t pipe) {
    if (run_.seed == 0 || target_->native) return {};
    return {&cache_, pipe == PIPE_S || pipe == PIPE_V};
  }
  DataCache& cache() { return cache_; }

  /// A flag between the two pipes that is set and not waited for, as a clue for a message; empty: none.
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
  /// The host's code for moves, chosen when the block began.
  const TileMoves& moves() const { return *moves_; }
  /// What the block stored past the host's caches is seen by others before anything that it does later.
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

/// An operand without memory: the instruction does nothing.
void report_null(Core& core, const std::string& mnemonic, const char* operand, std::int64_t elements,
                 const pto::instr::Site& site);

/// The core that this thread runs a block on; null outside launches.
inline constinit thread_local Core* launched_core = nullptr;
/// The same, or the thread's core for plain calls.
Core& current_core();
/// The same if there is one, without making it.
Core* existing_core();
/// Whether the thread runs a block of a launch.
bool in_launch();

/// Makes a core current for as long as it lives.
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
