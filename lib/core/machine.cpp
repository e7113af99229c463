// SPDX-License-Identifier: Apache-2.0
#include "core/machine.hpp"

#include <string>
#include <utility>

#include "core/random.hpp"

namespace ptox {

std::int64_t Machine::permuted(std::int64_t k, std::int64_t n) {
  if (order_size_ != n) {
    order_size_ = n;
    Random random(core_.run().seed ^ (static_cast<std::uint64_t>(site_.line()) << 32));
    for (std::int64_t i = 0; i < n; ++i) order_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
    for (std::int64_t i = n - 1; i > 0; --i)
      std::swap(order_[static_cast<std::size_t>(i)], order_[random.below(static_cast<std::uint64_t>(i) + 1)]);
  }
  return order_[static_cast<std::size_t>(k)];
}

void Machine::check_flag(const char* who, pipe_t src, pipe_t dst, event_t id) {
  if (target().native || (id >= 0 && id <= 7)) return;
  core_.report("flag-id", Severity::error,
               std::string(who) + "(PIPE_" + pto::instr::pipe_name(src) + ", PIPE_" + pto::instr::pipe_name(dst) + "): id is " +
                   std::to_string(id) + ", ids are 0 to 7",
               site_, who);
}

}  // namespace ptox
