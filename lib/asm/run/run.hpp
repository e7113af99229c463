// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of a .pto file on given inputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "asm/text/diagnostic.hpp"
#include "asm/text/module.hpp"
#include "asm/text/type_text.hpp"
#include "ptox/device.hpp"
#include "ptox/npy.hpp"
#include "ptox/ranks.hpp"

namespace ptox::assembly {

/// Number of ranks and how they are run.
struct RunRanks {
  int count = 1;
  Engine engine = Engine::threads;
  std::chrono::milliseconds deadline{5000};  ///< limit of every wait for another rank
  std::string trace;  ///< file of the timeline; the number of the rank is inserted before the extension
};

struct RunOptions {
  std::string kernel;                          ///< name of the kernel; empty: see entry_of
  std::map<std::string, std::string> in, out;  ///< argument -> .npy file; `argument@2`: for rank 2 only
  std::map<std::string, std::string> scalars;  ///< argument -> number
  LaunchOptions launch;
  std::optional<Check> check;
  bool insert_sync = false;
  std::optional<RunRanks> ranks;
};

/// One argument after the run.
struct Argument {
  std::string name;
  int rank = -1;  ///< rank that owns it; -1: the run has no ranks
  bool pointer = true;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  bool written = false;
  std::string origin;  ///< source of the initial content
};

struct RunResult {
  std::string kernel;
  bool checked = false;
  Report report;  ///< findings of all ranks; each finding names its rank
  std::vector<Argument> arguments;
  bool speaks = true;         ///< whether this process prints the result (several processes run under MPI)
  bool writes = true;         ///< whether this process writes the output files
  bool left_running = false;  ///< a rank did not finish, and its thread may still be running
};

/// Runs a kernel on a device of that target. std::nullopt if there are errors; broken rules are errors, as in `verify`.
std::optional<RunResult> run(Module& module, const Target& target, const RunOptions& options, Diagnostics& out);

}  // namespace ptox::assembly
