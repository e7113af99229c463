// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/device_state.hpp"

#include <cstdio>
#include <mutex>

namespace ptox {

namespace {

std::mutex mutex;
std::string failure;

}  // namespace

void fail_device(const std::string& sentence) {
  const std::lock_guard lock(mutex);
  if (!failure.empty()) return;
  failure = sentence;
  std::fflush(stdout);
  std::fprintf(stderr, "ptox: a launch failed: %s\n", sentence.c_str());
}
bool device_failed() { return !device_failure().empty(); }
std::string device_failure() {
  const std::lock_guard lock(mutex);
  return failure;
}
void reset_device() {
  const std::lock_guard lock(mutex);
  failure.clear();
}

}  // namespace ptox
