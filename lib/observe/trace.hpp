// SPDX-License-Identifier: Apache-2.0
// Writes what each pipe did as a trace file for Perfetto.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "observe/timeline.hpp"

namespace ptox {

/// All blocks of launches, one launch after another: a process a block, a thread a pipe, one cycle shown as one
/// nanosecond. All together keep as many events as a launch may.
class Trace {
 public:
  explicit Trace(std::string target, std::vector<BlockTime> blocks = {});
  const std::string& target() const { return target_; }
  const std::vector<BlockTime>& blocks() const { return blocks_; }
  /// Adds a launch that begins at `begin`, as far as there is room for its events.
  void append(const Trace& next, std::uint64_t begin);
  /// Chrome's trace event format.
  std::string json() const;

 private:
  void append(BlockTime block);

  std::string target_;
  std::vector<BlockTime> blocks_;
  std::size_t events_ = 0;
  bool cut_ = false;
};

}  // namespace ptox
