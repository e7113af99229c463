// SPDX-License-Identifier: Apache-2.0
// Runs a compiled kernel on several ranks.
#pragma once

#include <functional>
#include <memory>

#include "asm/run.hpp"

namespace ptox::assembly {

/// What the ranks share: it outlives a rank that does not end.
struct RanksJob {
  const Target* target = nullptr;
  RunOptions options;
  std::string kernel;
  std::vector<std::vector<Argument>> arguments{};     ///< by rank
  std::vector<std::uint64_t> scalars{};               ///< by argument, 0 for pointers
  std::function<void(const std::uint64_t*)> block{};  ///< runs one block with these values
};

/// Runs the job: arguments lie in symmetric memory, the ranks meet before and after the launch. Their contents
/// afterwards are in the job's arguments. Nothing, with an error, when the engine is not there.
std::optional<RunResult> run_on_ranks(const std::shared_ptr<RanksJob>& job, Diagnostics& out);

}  // namespace ptox::assembly
