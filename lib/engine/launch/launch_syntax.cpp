// SPDX-License-Identifier: Apache-2.0
// Runs kernel<<<...>>>(...) on the default device, which also executes plain calls.
#include "ptox/launch_syntax.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "engine/core/rank.hpp"
#include "engine/launch/device_state.hpp"
#include "engine/launch/plain.hpp"

namespace ptox::detail {

namespace {

std::invalid_argument refused(const char* operand, std::int64_t value, const char* rule) {
  return std::invalid_argument(std::string("launch: ") + operand + " is " + std::to_string(value) + "; it must be " +
                               rule);
}

LaunchOptions options_of(const DefaultLaunch& launch) {
  if (launch.blocks < 1 || launch.blocks > std::numeric_limits<int>::max())
    throw refused("numBlocks", launch.blocks, "from 1 to 2147483647");
  if (launch.dyn_ub_bytes < 0) throw refused("dynUBufSize", launch.dyn_ub_bytes, "0 or more bytes");
  return {.blocks = static_cast<int>(launch.blocks),
          .dyn_ub_bytes = static_cast<std::size_t>(launch.dyn_ub_bytes),
          .seed = default_seed()};
}

}  // namespace

void launch_default(const DefaultLaunch& launch, void (*call)(void*), void* self) {
  if (!in_launch()) end_plain_launch();
  Job job{.call = call, .self = self, .kernel = launch.kernel};
  job.most_threads = launch.most_threads;
  try {
    add_to_plain_report(DefaultDevice::run(default_device(), options_of(launch), job));
  } catch (const RanksError& e) {
    if (!process_rank()) throw;
    fail_device(e.sentence());  // as on the machine, the program sees it when it synchronises
  }
}

}  // namespace ptox::detail
