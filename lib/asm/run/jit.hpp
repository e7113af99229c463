// SPDX-License-Identifier: Apache-2.0
// Compiles a lowered kernel to native code of the host.
#pragma once

#include <memory>

#include "asm/run/lower.hpp"

namespace ptox::assembly {

/// Owns the native code of one kernel; the code is freed with the object.
class Compiled {
 public:
  Compiled();
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  /// Compiles a lowered kernel with the conversion passes of MLIR and the just-in-time compiler of LLVM. Returns false
  /// after adding an error to `out`.
  bool compile(Kernel& kernel, Diagnostics& out);
  /// The compiled function that runs one block; the argument of Program::run.
  using Main = void (*)();
  Main main() const { return main_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  Main main_ = nullptr;
};

}  // namespace ptox::assembly
