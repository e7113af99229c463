// SPDX-License-Identifier: Apache-2.0
// Selects the block that continues when the seed interleaves blocks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/system/random.hpp"

namespace ptox {

/// Threads of which one runs at a time. The seed determines when it gives up its turn, and to which thread.
class Turns {
 public:
  Turns(int threads, std::uint64_t seed);

  /// Blocks until it is this thread's turn for the first time.
  void enter(int me);
  /// Called between two instructions: may give the turn to another thread, and then blocks until it is this thread's
  /// turn again.
  void pass(int me);
  /// Removes the thread, which is done.
  void leave(int me);

 private:
  void hand_on();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> live_;
  int current_ = 0;
  Random random_;
};

/// The participation of one thread: the constructor waits for its first turn, the destructor removes it.
class Turn {
 public:
  Turn(Turns& turns, int me) : turns_(turns), me_(me) { turns_.enter(me_); }
  ~Turn() { turns_.leave(me_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  void pass() const { turns_.pass(me_); }

 private:
  Turns& turns_;
  int me_;
};

}  // namespace ptox
