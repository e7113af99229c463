// SPDX-License-Identifier: Apache-2.0
// Runs the engine of threads on another fabric.
#pragma once

#include <functional>
#include <memory>

#include "comm/engine.hpp"

namespace ptox::comm {

/// Stands between a rank and the memory that threads share: for tests of what other engines do.
using Wrap = std::function<std::unique_ptr<Fabric>(std::unique_ptr<Fabric>)>;
std::vector<std::string> run_threads(int n, detail::RankBody body, const RanksOptions& options, const Wrap& wrap);

}  // namespace ptox::comm
