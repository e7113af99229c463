// SPDX-License-Identifier: Apache-2.0
// The estimated times at which each pipe of a core is busy, and with what.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "observe/cost.hpp"
#include "observe/timing.hpp"
#include "pto/tile/event.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

inline constexpr std::size_t pipe_count = 8;

/// All executions of one instruction at one line of a kernel.
struct CallTime {
  std::string mnemonic, file;
  int line = 0;
  pipe_t pipe = PIPE_S;   ///< that moves the data, or that waits
  pipe_t other = PIPE_S;  ///< for which a wait waits
  std::int64_t count = 0;
  std::uint64_t cycles = 0, scalar_cycles = 0;  ///< on `pipe`, or spent waiting; in addition on S
  Work work;
};

/// A time slice of a pipe, or a sample of UB use.
struct TimeEvent {
  enum class Kind : std::uint8_t { work, set, wait, ub };
  std::uint64_t begin = 0, end = 0;
  std::int64_t bytes = 0;  ///< of global memory, or of UB
  std::uint32_t call = 0, arrow = 0, transfers = 0, rows = 0, lines = 0;
  Kind kind = Kind::work;
  std::uint8_t pipe = 0, src = 0, dst = 0, id = 0;
};

/// The estimated time of a block, in cycles.
struct BlockTime {
  const Target* target = nullptr;
  int block = 0;
  std::uint64_t begin = 0;  ///< of its launch, if several launches follow one another
  std::uint64_t end = 0;    ///< counted from `begin`
  std::array<std::uint64_t, pipe_count> busy{};
  std::vector<CallTime> calls;
  std::vector<TimeEvent> events;
  std::uint32_t arrows = 0;  ///< number of flags set, which are numbered from 1
  bool cut = false;          ///< there were more events than were kept
};

/// The clocks of one core in cycles: each pipe executes its tasks in order, and pipes wait for each other only at flags
/// and barriers. Plain C++ of the kernel takes no time. There is no estimate for the host, where everything is 0.
class Timeline {
 public:
  static constexpr std::size_t most_events = 200'000;  ///< kept for one launch

  /// Starts a block, of which at most `events` events are kept.
  void start(const Target& target, int block, std::size_t events = most_events);
  /// The scalar unit's clock.
  std::uint64_t now() const { return free_[PIPE_S]; }

  /// Adds `cycles` of work on S.
  void scalar(const char* mnemonic, pto::instr::Site site, std::uint64_t cycles, const Work* work = nullptr);
  /// Adds the next task of a pipe. S completed its issue at `issued`, after cost.scalar cycles: the task can begin when
  /// S began to issue it and cannot end before `issued`. Ignored for S, whose work `scalar` adds.
  void work(pipe_t pipe, const char* mnemonic, pto::instr::Site site, const Cost& cost, std::uint64_t issued,
            const Work* work = nullptr);
  /// Adds a set to the queue of `src`. Id 8 is for flags that instructions set themselves.
  void set(pipe_t src, pipe_t dst, event_t id, pto::instr::Site site, std::uint64_t issued);
  /// Adds a wait to the queue of `dst`, until the oldest set of the flag. A wait for a flag that is not set takes no
  /// time.
  void wait(pipe_t src, pipe_t dst, event_t id, pto::instr::Site site, std::uint64_t issued);
  /// PIPE_ALL: S waits for all pipes. A barrier of one pipe takes no time, because a pipe is always in order.
  void barrier(pipe_t pipe, pto::instr::Site site = {});
  /// That many bytes of UB are in use from now on.
  void ub_use(std::int64_t bytes);

  /// Ends the block, at the time when its last pipe is done.
  void finish();
  BlockTime take();

 private:
  struct Fired {
    pipe_t src, dst;
    event_t id;
    std::uint64_t time;
    std::uint32_t arrow;
  };
  struct Key {
    const char* mnemonic;
    const char* file;
    int line;
    pipe_t pipe, other;
    bool operator==(const Key&) const = default;
  };
  std::uint32_t call(const char* mnemonic, pto::instr::Site site, pipe_t pipe = PIPE_ALL, pipe_t other = PIPE_ALL);
  std::uint64_t& free(pipe_t pipe) { return free_[static_cast<std::size_t>(pipe)]; }
  TimeEvent* keep(TimeEvent::Kind kind, pipe_t pipe, std::uint64_t begin, std::uint64_t end, std::uint32_t call);
  void slice(pipe_t pipe, std::uint64_t begin, std::uint64_t end, std::uint32_t call, const Work* work);
  void arrow(TimeEvent::Kind kind, pipe_t pipe, std::uint64_t begin, std::uint64_t end, std::uint32_t call,
             const Fired& flag);

  const Timing* timing_ = nullptr;
  std::size_t most_ = most_events;
  std::array<std::uint64_t, pipe_count> free_{};
  std::vector<Fired> fired_;
  std::vector<Key> keys_;  ///< keys of block_.calls, in the same order
  std::uint32_t last_call_ = 0;
  std::int64_t ub_bytes_ = 0;
  BlockTime block_;
};

}  // namespace ptox
