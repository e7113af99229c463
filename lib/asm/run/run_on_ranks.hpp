// SPDX-License-Identifier: Apache-2.0
// Runs a compiled kernel on several ranks.
#pragma once

#include <functional>
#include <memory>

#include "asm/run/run.hpp"

namespace ptox::assembly {

/// Data shared by the ranks. It is reference-counted, because the thread of a rank that does not finish may still use
/// it.
struct RanksJob {
  const Target* target = nullptr;
  RunOptions options;
  std::string kernel;
  std::vector<std::vector<Argument>> arguments{};     ///< by rank
  std::vector<std::uint64_t> scalars{};               ///< by argument, 0 for pointers
  std::function<void(const std::uint64_t*)> block{};  ///< runs one block with these argument values
};

/// Runs the job on all ranks. Arguments are in symmetric memory; there is a barrier before and after the launch.
/// Afterwards the job's arguments have the final contents. std::nullopt, after adding an error, if the engine is not
/// available.
std::optional<RunResult> run_on_ranks(const std::shared_ptr<RanksJob>& job, Diagnostics& out);

}  // namespace ptox::assembly
