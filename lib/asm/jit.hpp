// SPDX-License-Identifier: Apache-2.0
// Compiles a lowered kernel to machine code of the host.
#pragma once

#include <memory>

#include "asm/lower.hpp"

namespace ptox::assembly {

/// Machine code of one kernel, for as long as it lives.
class Compiled {
 public:
  Compiled();
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  /// Compiles a lowered kernel by MLIR's own conversions and LLVM's just-in-time compiler; false with an error.
  bool compile(Kernel& kernel, Diagnostics& out);
  /// Runs one block: to be given to Program::run.
  using Main = void (*)();
  Main main() const { return main_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  Main main_ = nullptr;
};

}  // namespace ptox::assembly
