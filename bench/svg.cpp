// SPDX-License-Identifier: Apache-2.0
#include "bench/svg.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

#include "bench/charts.hpp"

namespace ptox::bench {

namespace {

std::vector<Result> of(const std::vector<Result>& results, const std::string& bench) {
  std::vector<Result> out;
  for (const Result& r : results)
    if (r.bench == bench) out.push_back(r);
  return out;
}

std::vector<Chart> charts(const std::vector<Result>& results, int threads) {
  std::vector<Chart> out;
  if (const auto some = of(results, "workloads"); !some.empty())
    out.push_back(bars("Gather, scatter and updates on one thread", some, threads, false));
  if (const auto some = of(results, "hostile"); !some.empty())
    out.push_back(bars("Hostile orders of indices", some, threads, true));
  if (const auto some = of(results, "sizes"); !some.empty())
    out.push_back(curves("Cost against size, one thread", "indices, and as many rows in the table", some));
  if (const auto some = of(results, "widths"); !some.empty())
    out.push_back(curves("Cost against the width of a row, one thread", "bytes of a row", some));
  return out;
}

/// The facts about the machine, or those about what the numbers are compared with.
std::string footer(const Circumstances& c, bool machine) {
  std::string out = machine && c.quick ? "QUICK: sizes cut down" : "";
  for (const auto& [name, value] : c.facts) {
    const bool compared = name == "plain" || name == "peers";
    if (name == "kernel" || name == "memory" || compared == machine) continue;
    out += (out.empty() ? "" : " · ") + (name == "cpu" ? value : name + " " + value);
  }
  return out;
}

}  // namespace

bool write_svg(const std::string& path, const Circumstances& c, const std::vector<Result>& results) {
  if (charts(results, c.threads).empty())
    std::cerr << "ptox bench: --svg: nothing here has a chart; w1 to w9, hostile, sizes and widths do\n";
  Canvas page;
  double y = 0;
  for (const Chart& chart : charts(results, c.threads)) {
    page.put(chart.canvas, 0, y);
    y += chart.height;
  }
  page.text(24, y + 8, footer(c, true), {"start", 11, faint});
  page.text(24, y + 24, footer(c, false), {"start", 11, faint});
  std::ofstream out(path);
  out << page.document(chart_width, y + 38);
  out.close();
  return static_cast<bool>(out);
}

}  // namespace ptox::bench
