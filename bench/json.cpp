// SPDX-License-Identifier: Apache-2.0
// Results as JSON for programs, with the seconds of every round.
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/report.hpp"

namespace ptox::bench {

namespace {

using Json = nlohmann::ordered_json;  // names stay in the order in which they are written here

const char* name(Kind kind) {
  constexpr const char* names[] = {"ours", "plain", "peer", "limit", "reference"};
  return names[static_cast<int>(kind)];
}

Json to_json(const Series& s) {
  return {{"way", s.way},         {"kind", name(s.kind)}, {"threads", s.threads},
          {"median", s.median()}, {"spread", s.spread()}, {"seconds", s.seconds}};
}

Json to_json(const Result& r) {
  Json out{{"bench", r.bench}, {"case", r.name}, {"item", r.item}, {"items", r.items}};
  if (!r.group.empty()) out["group"] = r.group, out["x"] = r.x;
  if (r.plain()) out["plain"] = r.plain()->way, out["ratio"] = r.over_plain(r.ours());
  out["ways"] = Json::array();
  for (const Series& s : r.series)
    if (s.median() != 0) out["ways"].push_back(to_json(s));  // 0: a peer that gave no answer
  return out;
}

}  // namespace

bool write_json(const std::string& path, const Circumstances& c, const std::vector<Result>& results) {
  Json all{{"machine", Json::object()}, {"threads", c.threads}, {"quick", c.quick}, {"results", Json::array()}};
  for (const auto& [name, value] : c.facts) all["machine"][name] = value;
  for (const Result& r : results) all["results"].push_back(to_json(r));
  std::ofstream out(path);
  out << all.dump(1) << '\n';
  out.close();
  return static_cast<bool>(out);
}

}  // namespace ptox::bench
