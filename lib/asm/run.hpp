// SPDX-License-Identifier: Apache-2.0
// What does a kernel of a .pto file compute, from which inputs?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "asm/diagnostic.hpp"
#include "asm/module.hpp"
#include "asm/type_text.hpp"
#include "ptox/device.hpp"
#include "ptox/npy.hpp"

namespace ptox::assembly {

struct RunOptions {
  std::string kernel;                          ///< empty: the entry
  std::map<std::string, std::string> in, out;  ///< argument -> .npy file
  std::map<std::string, std::string> scalars;  ///< argument -> number
  LaunchOptions launch;
  std::optional<Check> check;
  bool insert_sync = false;
};

/// One argument after the run.
struct Argument {
  std::string name;
  bool pointer = true;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  bool written = false;
  std::string origin;  ///< where its first content came from
};

struct RunResult {
  std::string kernel;
  bool checked = false;
  Report report;
  std::vector<Argument> arguments;
};

/// Runs a kernel on a device of that target; nothing when there are errors among the diagnostics. A rule that is broken
/// is an error here as it is for `verify`.
std::optional<RunResult> run(Module& module, const Target& target, const RunOptions& options, Diagnostics& out);

}  // namespace ptox::assembly
