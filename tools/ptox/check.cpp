// SPDX-License-Identifier: Apache-2.0
// Runs a program on a target and reads the report that it writes at its end.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "process.hpp"
#include "ptox/target.hpp"
#include "rank_processes.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

namespace fs = std::filesystem;

constexpr int usual_deadline_ms = 60'000;

struct CheckOptions {
  std::string target = "a5", check = "all", report, trace;
  std::uint64_t seed = 0;
  int ranks = 0, deadline_ms = usual_deadline_ms;
  bool prefix = false;
  std::vector<std::string> command{};
};

CommandLine command_line(CheckOptions& o) {
  std::vector<std::string> targets;
  for (const Target* t : target::on_host) targets.emplace_back(t->name);
  targets.emplace_back("all");
  return CommandLine(
             "ptox check", "[--] PROG [ARGUMENTS]",
             "Runs PROG, built by `ptox c++` or linked with ptox::pto, so that its kernels run on a target and are "
             "checked. Its output passes through; findings are printed at its end.")
      .choice("--target", o.target, targets, "where kernels run; all: one target after another")
      .or_variable("PTOX_TARGET")
      .choice("--check", o.check, {"off", "all"}, "what a target does not accept is found in any case")
      .or_variable("PTOX_CHECK")
      .number("--seed", o.seed, {0, UINT64_MAX}, "pipes run ahead and blocks interleave by this seed; 0: in order")
      .or_variable("PTOX_SEED")
      .text("--report", "FILE", o.report,
            "the findings as JSON; for all targets FILE.cpu.json, FILE.a2a3.json and FILE.a5.json")
      .or_variable("PTOX_REPORT")
      .text("--trace", "FILE", o.trace,
            "the estimated timeline of all launches, for ui.perfetto.dev; names as for --report, none for cpu")
      .or_variable("PTOX_TRACE")
      .number("--ranks", o.ranks, {1, 64}, "start PROG so many times, each process as one rank", "none")
      .number("--deadline", o.deadline_ms, {1, 86'400'000},
              "milliseconds that a rank waits for another, and that it may run after the first has ended")
      .flag("--prefix", o.prefix, "write the number of the rank before each line that PROG prints")
      .rest(o.command)
      .note(
          "A ptox::Device without a target runs on the target of the check, one with a target keeps it; the findings "
          "of all launches count, also those of processes that PROG starts and that end before it does.")
      .note("Exit code 0: clean, notes do not count; 1: findings, or PROG failed; 2: usage.")
      .example("ptox check ./prog", "all kernels that ./prog calls, on a5")
      .note(
          "With --ranks, the processes find each other by HcclCommInitRootInfo (hccl/hccl.h), and by an MPI library "
          "with the C ABI of MPICH that MPI_LIB_PATH names. When a rank has ended, the others are ended after the "
          "deadline. Findings have the rank; races between ranks are found by ptox::Engine::threads only.")
      .example("ptox check --ranks 4 ./prog", "four processes of ./prog as ranks, on a5")
      .example("ptox check --target all --report r.json ./prog --rows 64", "on every target; --rows 64 goes to ./prog");
}

/// The path of a program; one in the current folder may be named without ./
std::optional<fs::path> program_of(const std::string& name) {
  const bool here = name.find('/') == name.npos && fs::is_regular_file(name);
  return find_program(here ? "./" + name : name);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return !a.empty() && !b.empty() &&
         fs::weakly_canonical(fs::absolute(a), none) == fs::weakly_canonical(fs::absolute(b), none);
}

/// A text in programs compiled with __CPU_SIM (include/pto/common/cpu_sim.hpp).
constexpr const char* one_process_mark = "ptox: one process plays all ranks";

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string wrong_in(const CheckOptions& options) {
  for (const std::string& file : {options.report, options.trace})
    if (const fs::path folder = fs::path(file).parent_path(); !folder.empty() && !fs::is_directory(folder))
      return "there is no folder '" + folder.string() + "' for " + file;
  if (same_file(options.report, options.trace))
    return "the report and the trace are files of their own; both are '" + options.trace + "'";
  if (options.command.empty()) return "there is no program to run";
  const std::string& name = options.command[0];
  if (!options.ranks && options.prefix) return "--prefix is for --ranks N";
  if (!options.ranks && options.deadline_ms != usual_deadline_ms) return "--deadline is for --ranks N";
  if (const auto program = program_of(name)) {
    if (options.ranks && text_of(*program).find(one_process_mark) != std::string::npos)
      return "'" + name +
             "' was compiled with -D__CPU_SIM, with which one process plays all ranks; --ranks is for programs "
             "compiled without it";
    return "";
  }
  if (fs::is_directory(name)) return "'" + name + "' is a folder, not a program";
  if (fs::exists(name)) return "'" + name + "' is not a program; build one with `ptox c++ FILES -o PROG`";
  return "there is no program '" + name + "'";
}

using Json = nlohmann::ordered_json;

/// The findings of a report; nullptr if the text is not a report, perhaps because it is truncated.
Json* findings_of(Json& report) {
  if (!report.is_object() || !report.contains("findings")) return nullptr;
  Json& findings = report["findings"];
  const bool objects =
      findings.is_array() && std::all_of(findings.begin(), findings.end(), [](const Json& f) { return f.is_object(); });
  return objects ? &findings : nullptr;
}

/// Whether the report has an error or a warning. A text that is not a report counts as one that has.
bool has_findings(const std::string& text) {
  if (text.empty()) return false;
  Json report = Json::parse(text, nullptr, false);
  const Json* findings = findings_of(report);
  return !findings || std::any_of(findings->begin(), findings->end(), [](const Json& f) {
    const auto severity = f.find("severity");
    return severity == f.end() || *severity != "note";
  });
}

/// Prints the findings of a process that ended before it could print them.
void print_findings(const Json& findings) {
  for (const Json& f : findings) {
    const auto text = [&](const char* key) {
      return f.contains(key) && f[key].is_string() ? f[key].get<std::string>() : "";
    };
    const std::int64_t count = f.value("count", std::int64_t{1});
    const Json* const where = f.contains("where") && f["where"].is_object() ? &f["where"] : nullptr;
    if (where && where->contains("rank")) std::cerr << "rank " << where->at("rank") << ": ";
    if (!text("file").empty()) std::cerr << text("file") << ':' << f.value("line", 0) << ": ";
    std::cerr << text("severity") << ": [" << text("id") << "] " << text("message")
              << (count > 1 ? " (" + std::to_string(count) + " times)" : "") << '\n';
  }
}

/// The reports that the processes of a program wrote into a folder, as one: that of the process `first`, if it wrote
/// one, with the findings of the others appended. A process that ended without its exit handlers left a file NAME.part;
/// its findings are printed here. Empty if there is no file. A text that is not a report is returned unchanged.
std::string merged_reports(const fs::path& folder, pid_t first) {
  const fs::path own = folder / ("report." + std::to_string(first) + ".json");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end(),
            [&](const fs::path& a, const fs::path& b) { return std::pair(a != own, a) < std::pair(b != own, b); });
  if (files.empty()) return "";
  Json all;
  std::string text;
  for (const fs::path& file : files) {
    text = text_of(file);
    if (text.empty()) continue;  // the process ended before it could write
    Json report = Json::parse(text, nullptr, false);
    const Json* findings = findings_of(report);
    if (!findings) return text;
    if (file.extension() == ".part") print_findings(*findings);
    if (all.is_null())
      all = report;
    else
      all["findings"].insert(all["findings"].end(), findings->begin(), findings->end());
  }
  return files.size() == 1 ? text : all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Prints the outcome. Returns whether the program ended normally and nothing was found.
bool judge(const std::string& who, const ProgramEnd& end, const std::string& json, bool checked) {
  std::string said;
  if (!end.error.empty()) said = "did not start: " + end.error;
  if (end.signal) said = "was ended by signal " + signal_text(end.signal);
  const bool findings = has_findings(json);
  const bool own_failure = end.code > 1 || (end.code == 1 && !findings);
  if (own_failure) said = "ended with exit code " + std::to_string(end.code);
  if (findings) said += std::string(said.empty() ? "" : ", and ") + "has findings";
  if (said.empty() && json.empty())
    said = "wrote no report: no process of it ran a kernel. Was it built by `ptox c++`, or linked with ptox::pto?";
  const std::string fine = checked ? "is clean" : "was not checked, since the check is off; nothing was found";
  std::cerr << "ptox check: " << who << ' ' << (said.empty() ? fine : said) << '\n';
  return said.empty();
}

/// report.json for one target, report.a5.json when there are several.
fs::path path_for(fs::path path, const CheckOptions& options, const std::string& target) {
  if (options.target == "all") path.replace_extension(target + path.extension().string());
  return path;
}

bool keep_report(const CheckOptions& options, const std::string& target, const std::string& json) {
  if (options.report.empty() || json.empty()) return true;
  const fs::path path = path_for(options.report, options, target);
  std::ofstream file(path, std::ios::binary);
  file << json;
  file.close();
  if (!file) std::cerr << "ptox check: cannot write the report " << path.string() << '\n';
  return static_cast<bool>(file);
}

/// The environment of a program whose processes write their reports into a folder.
std::vector<std::pair<std::string, std::string>> variables_of(const CheckOptions& options, const std::string& target,
                                                              const fs::path& folder, const std::string& trace) {
  return {{"PTOX_TARGET", target},
          {"PTOX_CHECK", options.check},
          {"PTOX_SEED", std::to_string(options.seed)},
          {"PTOX_REPORT", (folder / "report.%p.json").string()},
          {"PTOX_TRACE", trace}};
}

/// trace.0.json for the trace of rank 0.
std::string trace_of_rank(const std::string& trace, int rank) {
  if (trace.empty()) return trace;
  fs::path path = trace;
  return path.replace_extension("." + std::to_string(rank) + path.extension().string()).string();
}

/// The reports of all ranks as one, in which each finding has its rank.
std::string joined_reports(const std::vector<std::string>& texts) {
  Json all;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (texts[rank].empty()) continue;
    Json report = Json::parse(texts[rank], nullptr, false);
    Json* findings = findings_of(report);
    if (!findings) return texts[rank];
    for (Json& f : *findings) f["rank"] = rank;
    if (all.is_null()) {
      all = report;
      all["ranks"] = texts.size();
    } else {
      all["findings"].insert(all["findings"].end(), findings->begin(), findings->end());
    }
  }
  return all.is_null() ? "" : all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The end of a rank that failed, for the verdict: of one that was not stopped because of another, if there is one.
ProgramEnd worst_of(const std::vector<RankEnd>& ends, int deadline_ms) {
  const auto failed = std::find_if(ends.begin(), ends.end(), [](const RankEnd& e) {
    return !e.stopped && (e.program.signal || e.program.code || !e.program.error.empty());
  });
  const std::string why = failed == ends.end() ? "it still ran " + std::to_string(deadline_ms) +
                                                     " ms after the first had ended (--deadline)"
                                               : "another rank had failed";
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const ProgramEnd& end = ends[rank].program;
    const std::string who = "ptox check: rank " + std::to_string(rank);
    if (ends[rank].stopped)
      std::cerr << who << " was stopped, because " << why << '\n';
    else if (end.signal)
      std::cerr << who << " was ended by signal " << signal_text(end.signal) << '\n';
    else if (end.code)
      std::cerr << who << " ended with exit code " << end.code << '\n';
  }
  if (failed != ends.end()) return failed->program;
  const auto late = std::find_if(ends.begin(), ends.end(), [](const RankEnd& e) { return e.stopped; });
  return late == ends.end() ? ProgramEnd{} : late->program;
}

bool check_ranks_on(const CheckOptions& options, const std::string& target, const std::string& who,
                    const std::vector<std::string>& command, const std::string& trace) {
  const TemporaryFolder temporary;
  const auto folder = [&](int rank) { return temporary.path() / std::to_string(rank); };
  for (int r = 0; r < options.ranks; ++r) fs::create_directory(folder(r));
  const std::vector<RankEnd> ends =
      run_ranks(command, {options.ranks, options.deadline_ms, options.prefix,
                          [&](int r) { return variables_of(options, target, folder(r), trace_of_rank(trace, r)); }});
  std::vector<std::string> texts;
  for (int r = 0; r < options.ranks; ++r)
    texts.push_back(merged_reports(folder(r), ends[static_cast<std::size_t>(r)].program.process));
  const std::string json = joined_reports(texts);
  const bool clean = judge(who, worst_of(ends, options.deadline_ms), json, options.check != "off");
  if (options.check != "off")
    std::cerr << "ptox check: races between ranks are not looked for; ptox::Engine::threads finds them\n";
  return keep_report(options, target, json) && clean;
}

bool check_on(const CheckOptions& options, const std::string& target) {
  const TemporaryFolder temporary;
  const std::string who = options.command[0] + " on " + target;
  const std::string trace = options.trace.empty() ? "" : path_for(options.trace, options, target).string();
  std::vector<std::string> command = options.command;
  command[0] = program_of(command[0])->string();
  std::cerr << "ptox check: " << who << ", check " << options.check << ", seed " << options.seed;
  if (options.ranks) std::cerr << ", " << options.ranks << (options.ranks == 1 ? " rank" : " ranks");
  std::cerr << '\n';
  if (options.ranks) return check_ranks_on(options, target, who, command, trace);
  const ProgramEnd end = run_program(command, variables_of(options, target, temporary.path(), trace));
  const std::string json = merged_reports(temporary.path(), end.process);
  const bool clean = judge(who, end, json, options.check != "off");
  return keep_report(options, target, json) && clean;
}

/// Tells the user about words after PROG that look like options of this verb.
void mention_passed_options(const std::vector<std::string>& command) {
  for (std::size_t i = 1; i < command.size(); ++i)
    for (const char* option : {"--target", "--check", "--seed", "--report", "--trace", "--ranks", "--deadline"})
      if (command[i] == option || command[i].starts_with(std::string(option) + "="))
        std::cerr << "ptox check: note: '" << command[i] << "' is passed to " << command[0]
                  << "; options of ptox check stand before the program\n";
}

int run(Arguments arguments) {
  CheckOptions options;
  const CommandLine line = command_line(options);
  if (const auto code = line.parse(arguments)) return *code;
  mention_passed_options(options.command);
  if (const std::string wrong = wrong_in(options); !wrong.empty()) return line.wrong(wrong);
  if (options.target != "all") return check_on(options, options.target) ? ok : found;
  bool clean = true;
  for (const Target* t : target::on_host) clean = check_on(options, t->name) && clean;
  return clean ? ok : found;
}

std::string help() {
  CheckOptions o;
  return command_line(o).help();
}

}  // namespace

const Verb check_verb{"check", "run a program's kernels on a target and report errors", help, run};

}  // namespace ptox::tool
