// SPDX-License-Identifier: Apache-2.0
// Runs ranks as threads whose fabric is replaced, for tests.
#pragma once

#include <functional>
#include <memory>

#include "comm/group/engine.hpp"

namespace ptox::comm {

/// Wraps the fabric of a rank, so that tests can imitate other engines; may be empty.
using Wrap = std::function<std::unique_ptr<Fabric>(std::unique_ptr<Fabric>)>;
std::vector<std::string> run_threads(int n, detail::RankBody body, const RanksOptions& options, const Wrap& wrap);

}  // namespace ptox::comm
