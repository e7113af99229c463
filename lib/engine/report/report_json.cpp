// SPDX-License-Identifier: Apache-2.0
// Writes a report as JSON and as SARIF, and its trace.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "engine/report/launch_time.hpp"
#include "ptox/report.hpp"

namespace ptox {

namespace {

using Json = nlohmann::ordered_json;

/// The JSON text of a number, string or key. Bytes of file names and messages that are not valid UTF-8 become U+FFFD.
std::string scalar_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Arrays of objects have a line for each object down to this depth, so that each finding has a line; this is the depth
/// of results in SARIF.
constexpr int deepest_lines = 3;

std::string text_of(const Json& json, int depth) {
  if (!json.is_structured()) return scalar_text(json);
  const bool lines = json.is_array() && !json.empty() && json.front().is_object() && depth <= deepest_lines;
  std::string text;
  for (const auto& [key, value] : json.items()) {
    const bool new_line = lines || (depth == 0 && value.is_structured());
    if (!text.empty()) text += new_line ? "," : ", ";
    if (new_line) text += lines ? "\n  " : "\n ";
    text += (json.is_object() ? scalar_text(key) + ": " : std::string()) + text_of(value, depth + 1);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}
std::string text_of(const Json& json) { return text_of(json, 0) + "\n"; }

Json where_json(const Finding& f) {
  Json where = Json::object();
  for (const FindingValue& v : f.where) std::visit([&](const auto& value) { where[name(v.field)] = value; }, v.value);
  return where;
}

Json finding_json(const Finding& f) {
  return {{"id", name(f.kind)},   {"severity", name(f.severity)},
          {"message", f.message}, {"file", f.file},
          {"line", f.line},       {"block", f.block},
          {"count", f.count},     {"where", where_json(f)}};
}

Json ub_json(const UbMap& map) {
  Json owners = Json::array();
  for (const UbOwner& o : map.owners)
    owners.push_back({{"begin", o.begin},
                      {"end", o.end},
                      {"tile", o.tile},
                      {"file", o.file},
                      {"line", o.line},
                      {"automatic", o.automatic},
                      {"refused", o.refused},
                      {"count", o.count}});
  return {{"used", map.used}, {"limit", map.limit}, {"capacity", map.capacity}, {"owners", std::move(owners)}};
}

void write(const std::string& path, const std::string& text, const char* what = "report") {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::invalid_argument(std::string(what) + ": cannot write " + path);
}

}  // namespace

std::string Report::json() const {
  std::string text = json_text();
  read();
  return text;
}

std::string Report::json_text() const {
  Json findings = Json::array();
  for (const Finding& f : findings_) findings.push_back(finding_json(f));
  Json report{{"target", target_}, {"kernel", kernel_}, {"blocks", blocks_}, {"findings", std::move(findings)}};
  if (time_.total) report["hints"] = time_.hints;
  report["cycles"] = {
      {"S", time_.s}, {"V", time_.v}, {"MTE2", time_.mte2}, {"MTE3", time_.mte3}, {"total", time_.total}};
  if (ub_map_.capacity != 0) report["ub"] = ub_json(ub_map_);  // the host has no UB map
  return text_of(report);
}

namespace {

Json location(const std::string& file, std::int64_t line, const std::int64_t* column = nullptr) {
  Json region{{"startLine", std::max<std::int64_t>(1, line)}};
  if (column) region["startColumn"] = *column;
  return {{"physicalLocation", {{"artifactLocation", {{"uri", file}}}, {"region", std::move(region)}}}};
}

/// The source location of a finding; empty if it is about a launch as a whole.
Json locations(const Finding& f) {
  Json places = Json::array();
  if (!f.file.empty()) places.push_back(location(f.file, f.line, f.number(FindingField::column)));
  return places;
}

/// The source location of the other instruction of a conflict, if there is one.
Json related_locations(const Finding& f) {
  Json places = Json::array();
  const std::string* file = f.text(FindingField::other_file);
  const std::int64_t* line = f.number(FindingField::other_line);
  if (file && line) places.push_back(location(*file, *line));
  return places;
}

Json result_json(const Finding& f) {
  return {{"ruleId", name(f.kind)},
          {"level", name(f.severity)},
          {"message", {{"text", f.message}}},
          {"occurrenceCount", f.count},
          {"locations", locations(f)},
          {"relatedLocations", related_locations(f)},
          {"properties", {{"block", f.block}, {"where", where_json(f)}}}};
}

}  // namespace

std::string Report::sarif() const {
  std::string text = sarif_text();
  read();
  return text;
}

std::string Report::sarif_text() const {
  Json results = Json::array();
  for (const Finding& f : findings_) results.push_back(result_json(f));
  const Json driver{{"driver", {{"name", "ptox"}}}};
  Json runs = Json::array({Json{{"tool", driver}, {"results", std::move(results)}}});
  return text_of(
      {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", std::move(runs)}});
}

void Report::write_json(const std::string& path) const {
  write(path, json_text());
  read();
}
void Report::write_sarif(const std::string& path) const {
  write(path, sarif_text());
  read();
}
void Report::write_trace(const std::string& path) const {
  read();
  write(path, trace_json(time_, target_), "trace");
}

}  // namespace ptox
