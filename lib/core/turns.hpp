// SPDX-License-Identifier: Apache-2.0
// Selects the block that continues when the seed interleaves blocks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/random.hpp"

namespace ptox {

/// Threads that take turns: one runs, and the seed says when it gives way and to which.
class Turns {
 public:
  Turns(int threads, std::uint64_t seed);

  /// Returns when it is this thread's turn for the first time.
  void enter(int me);
  /// Between two instructions: may give the turn away, and returns when it is back.
  void pass(int me);
  /// The thread is done.
  void leave(int me);

 private:
  void hand_on();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> live_;
  int current_ = 0;
  Random random_;
};

/// One thread's part in the turns, for as long as it lives.
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
