// SPDX-License-Identifier: Apache-2.0
// How are results kept for programs? As JSON, every round's seconds among it.
#include <fstream>

#include "bench/report.hpp"
#include "core/quoted.hpp"

namespace ptox::bench {

namespace {

const char* name(Kind kind) {
  constexpr const char* names[] = {"ours", "plain", "peer", "limit", "reference"};
  return names[static_cast<int>(kind)];
}

void write(std::ostream& out, const Series& s) {
  out << "{\"way\": " << quoted(s.way) << ", \"kind\": \"" << name(s.kind) << "\", \"threads\": " << s.threads
      << ", \"median\": " << s.median() << ", \"spread\": " << s.spread() << ", \"seconds\": [";
  for (std::size_t i = 0; i < s.seconds.size(); ++i) out << (i ? ", " : "") << s.seconds[i];
  out << "]}";
}

void write(std::ostream& out, const Result& r) {
  out << "    {\"bench\": " << quoted(r.bench) << ", \"case\": " << quoted(r.name) << ", \"item\": " << quoted(r.item)
      << ", \"items\": " << r.items;
  if (!r.group.empty()) out << ", \"group\": " << quoted(r.group) << ", \"x\": " << r.x;
  if (r.plain()) out << ", \"plain\": " << quoted(r.plain()->way) << ", \"ratio\": " << r.over_plain(r.ours());
  out << ", \"ways\": [";
  const char* between = "\n      ";
  for (const Series& s : r.series) {
    if (s.median() == 0) continue;  // a peer that gave no answer
    out << between, between = ",\n      ";
    write(out, s);
  }
  out << "]}";
}

}  // namespace

bool write_json(const std::string& path, const Circumstances& c, const std::vector<Result>& results) {
  std::ofstream out(path);
  out.precision(9);
  out << "{\n  \"machine\": {";
  for (std::size_t i = 0; i < c.facts.size(); ++i)
    out << (i ? ", " : "") << quoted(c.facts[i].first) << ": " << quoted(c.facts[i].second);
  out << "},\n  \"threads\": " << c.threads << ", \"quick\": " << (c.quick ? "true" : "false")
      << ",\n  \"results\": [\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    out << (i ? ",\n" : "");
    write(out, results[i]);
  }
  out << "\n  ]\n}\n";
  out.close();
  return static_cast<bool>(out);
}

}  // namespace ptox::bench
