// SPDX-License-Identifier: Apache-2.0
// What did each pipe do when, as a file that Perfetto shows?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "observe/timeline.hpp"

namespace ptox {

/// All blocks of a launch: a process a block, a thread a pipe, one cycle shown as one nanosecond.
class Trace {
 public:
  explicit Trace(std::string target, std::vector<BlockTime> blocks = {})
      : target_(std::move(target)), blocks_(std::move(blocks)) {}
  const std::vector<BlockTime>& blocks() const { return blocks_; }
  /// Chrome's trace event format.
  std::string json() const;

 private:
  std::string target_;
  std::vector<BlockTime> blocks_;
};

}  // namespace ptox
