// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of a .pto file on given inputs.
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
#include "ptox/ranks.hpp"

namespace ptox::assembly {

/// How many ranks run the kernel, and how.
struct RunRanks {
  int count = 1;
  Engine engine = Engine::threads;
  std::chrono::milliseconds deadline{5000};  ///< of every wait for another rank
  std::string trace;                         ///< a timeline for each rank, its number before the extension
};

struct RunOptions {
  std::string kernel;                          ///< empty: the entry
  std::map<std::string, std::string> in, out;  ///< argument -> .npy file; `argument@2` is rank 2's alone
  std::map<std::string, std::string> scalars;  ///< argument -> number
  LaunchOptions launch;
  std::optional<Check> check;
  bool insert_sync = false;
  std::optional<RunRanks> ranks;
};

/// One argument after the run.
struct Argument {
  std::string name;
  int rank = -1;  ///< whose it is; -1: the run has no ranks
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
  Report report;  ///< of all ranks: what they found says which one
  std::vector<Argument> arguments;
  bool speaks = true;         ///< of several processes that ran it, one to say so
  bool writes = true;         ///< and the one to write files
  bool left_running = false;  ///< a rank did not end, and its thread may still run
};

/// Runs a kernel on a device of that target; nothing when there are errors among the diagnostics. A rule that is broken
/// is an error here as it is for `verify`.
std::optional<RunResult> run(Module& module, const Target& target, const RunOptions& options, Diagnostics& out);

}  // namespace ptox::assembly
