// SPDX-License-Identifier: Apache-2.0
// The steps of a block, recorded so that they can be replayed with changes.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "pto/isa/effect.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

/// One instruction, flag or scalar access of a kernel, as it was issued on a machine.
struct Step {
  enum class Kind : std::uint8_t { work, set, wait, barrier, outside };  ///< outside: data() gave bytes to plain C++
  struct Touch {
    pipe_t pipe;
    pto::instr::Access access;
    int space;  ///< number of the core's buffer; -1: global memory
    std::uint64_t begin, end;
  };
  Kind kind = Kind::work;
  const char* mnemonic = "";
  pto::instr::Site site;
  int block = 0;
  pipe_t src = PIPE_S, dst = PIPE_S;  ///< of a flag; `src` alone: the pipe of a barrier
  event_t id = 0;
  bool plain_update = false;
  pto::instr::OwnFlags own{};
  std::vector<Touch> touches;
  std::function<void()> again;  ///< issues the step again, on the current core
};

/// Receives the steps of every block that starts while it is installed.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void take(Step step) = 0;
};

/// The recorder to which blocks report; nullptr: none.
inline std::atomic<Recorder*> installed_recorder = nullptr;

}  // namespace ptox
