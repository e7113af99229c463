// SPDX-License-Identifier: Apache-2.0
#include "loops/streams.hpp"

#include "loops/caches.hpp"

namespace ptox {

namespace {

Streams of_machine() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return {.slow = __builtin_cpu_is("intel") && !caches().large_second(), .filled_by_one = __builtin_cpu_is("amd") != 0};
#else
  return {};
#endif
}
Streams& found() {
  static Streams streams = of_machine();
  return streams;
}

}  // namespace

const Streams& streams() { return found(); }
void force_streams(const Streams* wanted) { found() = wanted ? *wanted : of_machine(); }

}  // namespace ptox
