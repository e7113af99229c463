// SPDX-License-Identifier: Apache-2.0
#include "engine/report/launch_time.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/report/grouped.hpp"

namespace ptox {

std::string time_line(const LaunchTime& t) {
  if (!t.total) return {};
  std::pair<std::uint64_t, std::string_view> pipes[] = {{t.s, "S"}, {t.v, "V"}, {t.mte2, "MTE2"}, {t.mte3, "MTE3"}};
  std::sort(std::begin(pipes), std::end(pipes),
            [](const auto& a, const auto& b) { return std::tie(b.first, a.second) < std::tie(a.first, b.second); });
  std::string line = "time (estimate): " + grouped(t.total) + " cycles", mark = "; ";
  for (const auto& [busy, pipe] : pipes) {
    if (!busy) break;
    line += mark + std::string(pipe) + " " + std::to_string(percent(busy, t.total)) + " %";
    mark = ", ";
  }
  return line + "\n";
}

}  // namespace ptox
