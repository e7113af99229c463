// SPDX-License-Identifier: Apache-2.0
// Writes what each pipe did as a trace file for Perfetto.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "observe/timeline.hpp"

namespace ptox {

/// The blocks of one or several launches, one launch after another: each block is a process, each pipe a thread, and
/// one cycle is shown as one nanosecond. At most Timeline::most_events events are kept in all.
class Trace {
 public:
  explicit Trace(std::string target, std::vector<BlockTime> blocks = {});
  const std::string& target() const { return target_; }
  const std::vector<BlockTime>& blocks() const { return blocks_; }
  /// Adds a launch that begins at `begin`, as far as there is room for its events.
  void append(const Trace& next, std::uint64_t begin);
  /// The trace in Chrome's trace event format.
  std::string json() const;

 private:
  void append(BlockTime block);

  std::string target_;
  std::vector<BlockTime> blocks_;
  std::size_t events_ = 0;
  bool cut_ = false;
};

}  // namespace ptox
