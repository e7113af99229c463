// SPDX-License-Identifier: Apache-2.0
// Records a kernel and replays it with other flags.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "corpus.hpp"
#include "engine/core/record.hpp"

namespace ptox::mutation {

/// A step of a block, and the bytes that the C++ code of the kernel stored in it.
struct Taken {
  Step step;
  std::vector<std::byte> bytes;
};

/// A step of a mutant: its flag, or the pipe of its barrier, may differ from the recorded one.
struct Op {
  const Taken* of;
  std::size_t number;  ///< index in the recorded block
  Step::Kind kind;
  pipe_t src, dst;
  event_t id;
};
using Program = std::vector<Op>;

/// A kernel of the corpus on one target, recorded block by block. Its memory is kept for replays.
class Trace {
 public:
  Trace(const corpus::Kernel& kernel, const Target& target);

  const std::vector<std::vector<Taken>>& blocks() const { return blocks_; }
  const std::vector<Program>& programs() const { return programs_; }
  /// Launches the recorded kernel with `changed` in place of a block's program.
  Report replay(int block, const Program& changed);
  /// Replays the unchanged programs; returns their recording, and the findings in `found`.
  std::vector<std::vector<Taken>> record_again(Report& found);

 private:
  using Bytes = std::vector<std::byte>;
  std::vector<std::vector<Taken>> record(const std::function<void()>& kernel, Report& found, bool remember);
  std::vector<std::span<std::byte>> memory_bytes();
  void remember();
  void restore();

  Device dev_;
  corpus::Memory memory_;
  LaunchOptions options_;
  std::vector<Bytes> before_;  ///< global memory when the first step was issued
  std::vector<std::vector<Taken>> blocks_;
  std::vector<Program> programs_;
};

}  // namespace ptox::mutation
