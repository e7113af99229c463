// SPDX-License-Identifier: Apache-2.0
// Is a program's use of its device clean? Runs it on a target and reads the report that it writes at its end.
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "process.hpp"
#include "ptox/target.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

namespace fs = std::filesystem;

struct Wish {
  std::string target = "a5", check = "all", seed, report, trace, wrong{};
  std::vector<std::string> command{};
};

std::string from_environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

/// The option, or the variable that says the same.
std::string* place_of(Wish& wish, const std::string& option) {
  if (option == "--target") return &wish.target;
  if (option == "--check") return &wish.check;
  if (option == "--seed") return &wish.seed;
  if (option == "--trace") return &wish.trace;
  return option == "--report" ? &wish.report : nullptr;
}

Wish parsed(Arguments arguments) {
  Wish wish{from_environment("PTOX_TARGET", "a5"), from_environment("PTOX_CHECK", "all"),
            from_environment("PTOX_SEED", "0"), from_environment("PTOX_REPORT", ""),
            from_environment("PTOX_TRACE", "")};
  std::size_t i = 0;
  for (; i < arguments.size() && arguments[i].starts_with("-") && arguments[i] != "--"; ++i) {
    const std::size_t equals = arguments[i].find('=');
    const std::string option = arguments[i].substr(0, equals);
    std::string* place = place_of(wish, option);
    if (!place) return wish.wrong = "there is no option '" + arguments[i] + "'", wish;
    if (equals == option.npos && i + 1 == arguments.size()) return wish.wrong = option + " wants a value", wish;
    *place = equals == option.npos ? arguments[++i] : arguments[i].substr(equals + 1);
  }
  if (i < arguments.size() && arguments[i] == "--") ++i;
  wish.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  return wish;
}

bool is_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size();
}

std::string known_targets() {
  std::string names;
  for (const Target* t : target::on_host) names += std::string(t->name) + ", ";
  return names + "or all";
}

/// A program of this folder may be named without ./
std::optional<fs::path> program_of(const std::string& name) {
  const bool here = name.find('/') == name.npos && fs::is_regular_file(name);
  return find_program(here ? "./" + name : name);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return !a.empty() && !b.empty() &&
         fs::weakly_canonical(fs::absolute(a), none) == fs::weakly_canonical(fs::absolute(b), none);
}

std::string wrong_in(const Wish& wish) {
  if (!wish.wrong.empty()) return wish.wrong;
  if (wish.target != "all" && !find_on_host(wish.target.c_str()))
    return "there is no target '" + wish.target + "'; there are " + known_targets();
  if (wish.check != "off" && wish.check != "all") return "the check is off or all; it is '" + wish.check + "'";
  if (!is_number(wish.seed)) return "the seed is a number from 0 to 2^64 - 1; it is '" + wish.seed + "'";
  if (same_file(wish.report, wish.trace))
    return "the report and the trace are files of their own; both are '" + wish.trace + "'";
  if (wish.command.empty()) return "there is no program to run";
  const std::string& name = wish.command[0];
  if (program_of(name)) return "";
  if (fs::is_directory(name)) return "'" + name + "' is a folder, not a program";
  if (fs::exists(name)) return "'" + name + "' is not a program; build one with `ptox c++ FILES -o PROG`";
  return "there is no program '" + name + "'";
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// In JSON a quotation mark inside a message is escaped, so that these are fields.
bool has_findings(const std::string& json) {
  return json.find("\"severity\": \"error\"") != json.npos || json.find("\"severity\": \"warning\"") != json.npos;
}

/// Whether nothing was found; says so, or what was.
bool judge(const std::string& who, const ProgramEnd& end, const std::string& json, bool checked) {
  std::string said;
  if (!end.error.empty()) said = "did not start: " + end.error;
  if (end.signal) said = "was ended by signal " + signal_text(end.signal) + " before it could report";
  const bool findings = has_findings(json);
  const bool own_failure = end.code > 1 || (end.code == 1 && !findings);
  if (own_failure) said = "ended with exit code " + std::to_string(end.code);
  if (findings) said += std::string(said.empty() ? "" : ", and ") + "has findings";
  if (said.empty() && json.empty())
    said =
        "wrote no report: it called no kernel on the default device. Was it built by `ptox c++`? Launches by "
        "ptox::Device have reports of their own";
  const std::string fine = checked ? "is clean" : "was not checked, since the check is off; nothing was found";
  std::cerr << "ptox check: " << who << ' ' << (said.empty() ? fine : said) << '\n';
  return said.empty();
}

/// report.json for one target, report.a5.json when there are several.
fs::path path_for(fs::path path, const Wish& wish, const std::string& target) {
  if (wish.target == "all") path.replace_extension(target + path.extension().string());
  return path;
}

bool keep_report(const Wish& wish, const std::string& target, const std::string& json) {
  if (wish.report.empty() || json.empty()) return true;
  const fs::path path = path_for(wish.report, wish, target);
  std::ofstream file(path, std::ios::binary);
  file << json;
  file.close();
  if (!file) std::cerr << "ptox check: cannot write the report " << path.string() << '\n';
  return static_cast<bool>(file);
}

bool check_on(const Wish& wish, const std::string& target) {
  const TemporaryFolder temporary;
  const std::string report = temporary.path() / "report.json", who = wish.command[0] + " on " + target;
  const std::string trace = wish.trace.empty() ? "" : path_for(wish.trace, wish, target).string();
  std::vector<std::string> command = wish.command;
  command[0] = program_of(command[0])->string();
  std::cerr << "ptox check: " << who << ", check " << wish.check << ", seed " << wish.seed << '\n';
  const ProgramEnd end = run_program(command, {{"PTOX_TARGET", target},
                                               {"PTOX_CHECK", wish.check},
                                               {"PTOX_SEED", wish.seed},
                                               {"PTOX_REPORT", report},
                                               {"PTOX_TRACE", trace}});
  const std::string json = text_of(report);
  const bool clean = judge(who, end, json, wish.check != "off");
  return keep_report(wish, target, json) && clean;
}

int run(Arguments arguments) {
  const Wish wish = parsed(arguments);
  if (const std::string wrong = wrong_in(wish); !wrong.empty()) return usage_error(check_verb, wrong);
  if (wish.target != "all") return check_on(wish, wish.target) ? ok : found;
  bool clean = true;
  for (const Target* t : target::on_host) clean = check_on(wish, t->name) && clean;
  return clean ? ok : found;
}

}  // namespace

const Verb check_verb{
    "check", "run a program's kernels on a target and say what is wrong with them",
    "usage: ptox check [--target T] [--check off|all] [--seed N] [--report FILE.json] [--trace FILE.json] [--] PROG "
    "[args]\n\n"
    "Runs PROG, built by `ptox c++`, so that its plain calls and <<<>>> launches run on T and are checked. Its output\n"
    "passes through; findings are printed at its end.\n\n"
    "  --target T          cpu, a2a3, a5, or all, one after another; PTOX_TARGET, else a5\n"
    "  --check off|all     PTOX_CHECK, else all; what a target does not accept is found in any case\n"
    "  --seed N            pipes run ahead and blocks interleave as it says; PTOX_SEED, else 0: in order\n"
    "  --report FILE.json  the findings as JSON; for all targets FILE.cpu.json, FILE.a2a3.json, FILE.a5.json\n"
    "  --trace FILE.json   the estimated timeline of all launches, for ui.perfetto.dev; likewise, without cpu\n\n"
    "Launches by ptox::Device have a target and a report of their own, which this does not see.\n"
    "Exit codes: 0 clean, notes do not count; 1 findings, or PROG failed; 2 wrong arguments.\n",
    run, true};

}  // namespace ptox::tool
