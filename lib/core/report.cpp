// SPDX-License-Identifier: Apache-2.0
// How does a report read: as text, as JSON, as SARIF?
#include "ptox/report.hpp"

#include <algorithm>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "core/quoted.hpp"
#include "observe/launch_time.hpp"
#include "observe/trace.hpp"

namespace ptox {

const char* name(Severity s) { return s == Severity::error ? "error" : s == Severity::warning ? "warning" : "note"; }

bool Report::clean() const {
  return std::none_of(findings_.begin(), findings_.end(),
                      [](const Finding& f) { return f.severity != Severity::note; });
}

bool Report::has(const std::string& id) const {
  return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.id == id; });
}

namespace {

/// How often, and in which block of several.
std::string times_text(const Finding& f, bool blocks) {
  const bool counted = f.count > 1 && f.message.find(" more, up to ") == std::string::npos;
  std::string text = counted ? std::to_string(f.count) + " times" : "";
  if (blocks && f.message.find(" in block ") == std::string::npos)
    text += (counted ? ", first in block " : "in block ") + std::to_string(f.block);
  return text.empty() ? "" : " (" + text + ")";
}

void print(std::ostream& out, const Finding& f, bool blocks) {
  if (!f.file.empty()) out << f.file << ':' << f.line << ": ";
  out << name(f.severity) << ": [" << f.id << "] " << f.message << times_text(f, blocks && !f.file.empty());
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Finding& f) {
  print(out, f, false);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Report& r) {
  for (const Finding& f : r.findings()) print(out, f, r.blocks() > 1), out << '\n';
  if (r.has("ub-overflow") || r.has("ub-budget")) out << r.ub_map();
  const auto errors = std::count_if(r.findings().begin(), r.findings().end(),
                                    [](const Finding& f) { return f.severity == Severity::error; });
  const auto warnings = std::count_if(r.findings().begin(), r.findings().end(),
                                      [](const Finding& f) { return f.severity == Severity::warning; });
  for (const std::string& hint : r.hints()) out << hint << '\n';
  out << time_line(r.time());
  out << r.target() << ", " << r.blocks() << (r.blocks() == 1 ? " block: " : " blocks: ");
  if (r.clean()) return out << "clean\n";
  return out << errors << (errors == 1 ? " error, " : " errors, ") << warnings
             << (warnings == 1 ? " warning\n" : " warnings\n");
}

namespace {

std::string quoted_list(const std::vector<std::string>& strings) {
  std::string out = "[";
  for (const std::string& s : strings) out += (out.size() > 1 ? ", " : "") + quoted(s);
  return out + "]";
}

/// On the machines; the host has no limits to map.
std::string ub_json(const UbMap& map) {
  if (map.capacity == 0) return "";
  std::ostringstream out;
  out << ",\n \"ub\": {\"used\": " << map.used << ", \"limit\": " << map.limit << ", \"capacity\": " << map.capacity
      << ", \"owners\": [";
  const char* comma = "\n";
  for (const UbOwner& o : map.owners) {
    out << comma << "  {\"begin\": " << o.begin << ", \"end\": " << o.end << ", \"tile\": " << quoted(o.tile)
        << ", \"file\": " << quoted(o.file) << ", \"line\": " << o.line
        << ", \"automatic\": " << (o.automatic ? "true" : "false")
        << ", \"refused\": " << (o.refused ? "true" : "false") << ", \"count\": " << o.count << "}";
    comma = ",\n";
  }
  out << "]}";
  return out.str();
}

bool is_number(const std::string& s) {
  const std::size_t first = !s.empty() && s[0] == '-' ? 1 : 0;
  return s.size() > first && s.size() < 19 && s.find_first_not_of("0123456789", first) == s.npos &&
         (s[first] != '0' || s.size() == first + 1);
}

std::string where_json(const Finding& f) {
  std::string out = "{", comma;
  for (const auto& [name, value] : f.where) {
    out += comma + quoted(name) + ": " + (is_number(value) ? value : quoted(value));
    comma = ", ";
  }
  return out + "}";
}

void write(const std::string& path, const std::string& text, const char* what = "report") {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::invalid_argument(std::string(what) + ": cannot write " + path);
}

}  // namespace

std::string Report::json() const {
  std::ostringstream out;
  out << "{\"target\": " << quoted(target_) << ", \"kernel\": " << quoted(kernel_) << ", \"blocks\": " << blocks_
      << ",\n \"findings\": [";
  const char* comma = "\n";
  for (const Finding& f : findings_) {
    out << comma << "  {\"id\": " << quoted(f.id) << ", \"severity\": \"" << name(f.severity)
        << "\", \"message\": " << quoted(f.message) << ", \"file\": " << quoted(f.file) << ", \"line\": " << f.line
        << ", \"block\": " << f.block << ", \"count\": " << f.count << ", \"where\": " << where_json(f) << "}";
    comma = ",\n";
  }
  out << "],\n";
  if (time_.total) out << " \"hints\": " << quoted_list(time_.hints) << ",\n";
  out << " \"cycles\": {\"S\": " << time_.s << ", \"V\": " << time_.v << ", \"MTE2\": " << time_.mte2
      << ", \"MTE3\": " << time_.mte3 << ", \"total\": " << cycles() << "}" << ub_json(ub_map_) << "}\n";
  return out.str();
}

namespace {

std::string location(const std::string& file, int line, const std::string& column = "") {
  return "{\"physicalLocation\": {\"artifactLocation\": {\"uri\": " + quoted(file) +
         "}, \"region\": {\"startLine\": " + std::to_string(std::max(1, line)) +
         (column.empty() ? "" : ", \"startColumn\": " + column) + "}}}";
}

/// A value of `where`, empty when it has none of that name.
std::string where_of(const Finding& f, const std::string& name) {
  for (const auto& [key, value] : f.where)
    if (key == name) return value;
  return "";
}

/// What is said of a launch itself has no place in a file.
std::string location(const Finding& f) { return f.file.empty() ? "" : location(f.file, f.line, where_of(f, "column")); }

/// Where the other side of a conflict stands, if there is one.
std::string other_location(const Finding& f) {
  std::string file, line;
  for (const auto& [name, value] : f.where) {
    if (name == "other_file") file = value;
    if (name == "other_line") line = value;
  }
  return file.empty() || line.empty() ? "" : location(file, std::stoi(line));
}

}  // namespace

std::string Report::sarif() const {
  std::ostringstream out;
  out << "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\", \"runs\": [{\n"
      << " \"tool\": {\"driver\": {\"name\": \"ptox\"}},\n \"results\": [";
  const char* comma = "\n";
  for (const Finding& f : findings_) {
    out << comma << "  {\"ruleId\": " << quoted(f.id) << ", \"level\": \"" << name(f.severity)
        << "\", \"message\": {\"text\": " << quoted(f.message) << "}, \"occurrenceCount\": " << f.count
        << ", \"locations\": [" << location(f) << "], \"relatedLocations\": [" << other_location(f)
        << "], \"properties\": {\"block\": " << f.block << ", \"where\": " << where_json(f) << "}}";
    comma = ",\n";
  }
  out << "]}]}\n";
  return out.str();
}

void Report::write_json(const std::string& path) const { write(path, json()); }
void Report::write_sarif(const std::string& path) const { write(path, sarif()); }
void Report::write_trace(const std::string& path) const {
  write(path, time_.trace ? time_.trace->json() : Trace(target_).json(), "trace");
}

}  // namespace ptox
