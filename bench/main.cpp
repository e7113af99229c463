// SPDX-License-Identifier: Apache-2.0
// The program that `ptox bench` runs: it times several implementations of a job alternately and prints medians.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/peers.hpp"
#include "bench/plain.hpp"
#include "bench/report.hpp"
#include "bench/svg.hpp"
#include "bench_options.hpp"
#include "suggest.hpp"

namespace {

namespace bench = ptox::bench;
using namespace ptox::tool;

bool need(const std::vector<const bench::Bench*>& benches, bench::Needs least) {
  return std::ranges::any_of(benches, [&](const bench::Bench* b) { return b->needs >= least; });
}

const bench::Bench* find(const std::string& name) {
  for (const bench::Bench& b : bench::all())
    if (name == b.name) return &b;
  return nullptr;
}

std::string no_bench(const std::string& name) {
  std::vector<std::string> names;
  for (const bench::Bench& b : bench::all()) names.push_back(b.name);
  const std::string suggestion = did_you_mean(name, names);
  return "there is no benchmark '" + name + "'" + suggestion + (suggestion.empty() ? "; " : " ") +
         "`ptox bench --list` prints them";
}

/// Selects the named benchmarks, each once; without names those that compare with NumPy and PyTorch. Returns an error
/// message, or an empty string.
std::string choose(const std::vector<std::string>& names, std::vector<const bench::Bench*>& out) {
  for (const std::string& name : names) {
    const bench::Bench* b = find(name);
    if (!b) return no_bench(name);
    if (std::ranges::find(out, b) == out.end()) out.push_back(b);
  }
  for (const bench::Bench& b : bench::all())
    if (names.empty() && b.needs == bench::Needs::peers) out.push_back(&b);
  return "";
}

int list() {
  for (const bench::Bench& b : bench::all()) std::printf("%-13s %s\n", b.name.c_str(), b.question.c_str());
  return ok;
}

/// How the plain loops were compiled: "g++ and clang++-19, -O3 -march=native".
std::string plain_sentence() {
  std::string names;
  for (const bench::PlainLoops& loops : bench::plain_loops()) names += (names.empty() ? "" : " and ") + loops.compiler;
  if (names == "built in") return "the copy in the tool, no compiler was found: not built for this machine";
  return names + ", -O3 -march=native";
}

/// Runs the benchmarks and returns the exit code. `results` contains what was measured before a wrong result.
int measure(const std::vector<const bench::Bench*>& benches, const bench::Settings& settings,
            const bench::Circumstances& about, std::vector<bench::Result>& results) {
  bench::Table table(stdout, about.threads);
  try {
    for (const bench::Bench* b : benches)
      b->run(settings, [&](bench::Result r) {
        table.add(r);
        results.push_back(std::move(r));
      });
    return ok;
  } catch (const bench::Differs& differs) {
    std::cerr << "ptox bench: error: " << differs.sentence << '\n';
    return found;
  }
}

int write(const std::string& path, bool written) {
  if (written) return ok;
  std::cerr << "ptox bench: cannot write " << path << '\n';
  return internal;
}

int measure_and_write(const BenchOptions& options, const std::vector<const bench::Bench*>& benches) {
  for (const std::string& path : {options.json, options.svg})  // fail now and not after measuring
    if (!path.empty() && !std::ofstream(path, std::ios::app)) return write(path, false);
  const int threads = options.threads > 0 ? options.threads : bench::cores();
  bench::Circumstances about{bench::machine(), threads, options.quick};
  std::optional<bench::Peers> peers;
  if (need(benches, bench::Needs::plain)) about.facts.emplace_back("plain", plain_sentence());
  if (need(benches, bench::Needs::peers)) about.facts.emplace_back("peers", peers.emplace().sentence());
  print(about, stdout);
  std::fflush(stdout);
  const bench::Settings settings{options.rounds, threads, options.quick, peers ? &*peers : nullptr};
  std::vector<bench::Result> results;
  int code = measure(benches, settings, about, results);
  if (!options.json.empty()) code = std::max(code, write(options.json, write_json(options.json, about, results)));
  if (!options.svg.empty()) code = std::max(code, write(options.svg, write_svg(options.svg, about, results)));
  return code;
}

int run(const std::vector<std::string>& words) {
  BenchOptions options;
  const CommandLine line = bench_command_line(options);
  if (const auto code = line.parse(words)) return *code;
  std::vector<const bench::Bench*> benches;
  if (const std::string wrong = choose(options.names, benches); !wrong.empty()) return line.wrong(wrong);
  return options.list ? list() : measure_and_write(options, benches);
}

}  // namespace

int main(int count, char** words) {
  try {
    return run({words + 1, words + count});
  } catch (const std::exception& e) {
    std::cerr << "ptox bench: internal error: " << e.what() << '\n';
    return internal;
  }
}
