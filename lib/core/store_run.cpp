// SPDX-License-Identifier: Apache-2.0
#include "core/store_run.hpp"

#include <fstream>

namespace ptox {

std::int64_t shared_cache_bytes() {
  static const std::int64_t bytes = [] {
    constexpr std::int64_t kib = 1024, usual = 32 * 1024 * kib;
    std::int64_t n = 0;
    std::ifstream("/sys/devices/system/cpu/cpu0/cache/index3/size") >> n;  // "32768K"
    return n > 0 ? n * kib : usual;
  }();
  return bytes;
}

}  // namespace ptox
