// SPDX-License-Identifier: Apache-2.0
// ptox bench: how long does it take, beside the other ways of doing it?
#include "bench/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "verbs.hpp"

namespace ptox::tool {

namespace {

const char* const help =
    "usage: ptox bench [NAME...] [--rounds N] [--json FILE]\n\n"
    "Compares ways of doing one thing in one run, each in turn, and prints medians and their ratio to the first.\n"
    "Without a NAME every one runs. The names:\n\n"
    "  check      how much longer a checked run of a model takes: a lookup of a million rows\n"
    "  unchecked  what an unchecked run on the host pays for the checker's existence\n\n"
    "  --rounds N   that many rounds, 3 unless given\n"
    "  --json FILE  write the numbers there as well\n";

struct Wanted {
  std::vector<const bench::Bench*> benches;
  int rounds = 3;
  std::string json;
};

const bench::Bench* find(const std::string& name) {
  for (const bench::Bench& b : bench::all())
    if (name == b.name) return &b;
  return nullptr;
}

/// Empty, or what is wrong.
std::string parse(Arguments words, Wanted& wanted) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool takes_value = words[i] == "--rounds" || words[i] == "--json";
    if (takes_value && i + 1 == words.size()) return words[i] + " needs a value";
    if (words[i] == "--json") {
      wanted.json = words[++i];
    } else if (words[i] == "--rounds") {
      wanted.rounds = std::atoi(words[++i].c_str());
      if (wanted.rounds < 1) return "--rounds is " + words[i] + ", it is at least 1";
    } else if (const bench::Bench* b = find(words[i])) {
      wanted.benches.push_back(b);
    } else {
      return "there is no benchmark '" + words[i] + "'";
    }
  }
  if (wanted.benches.empty())
    for (const bench::Bench& b : bench::all()) wanted.benches.push_back(&b);
  return {};
}

bool write_json(const std::string& path, const std::vector<bench::Timed>& all) {
  std::ofstream out(path);
  const char* comma = "[\n";
  for (const bench::Timed& t : all) {
    out << comma << "  {\"bench\": \"" << t.bench << "\", \"way\": \"" << t.name << "\", \"seconds\": " << t.seconds
        << ", \"ratio\": " << t.ratio << "}";
    comma = ",\n";
  }
  out << "\n]\n";
  out.close();
  return static_cast<bool>(out);
}

int run(Arguments words) {
  Wanted wanted;
  if (const std::string wrong = parse(words, wanted); !wrong.empty()) return usage_error(bench_verb, wrong);
  std::vector<bench::Timed> all;
  for (const bench::Bench* b : wanted.benches) {
    std::printf("%s\n", b->question);
    std::fflush(stdout);
    for (const bench::Timed& t : b->run(wanted.rounds)) {
      std::printf("  %-26s %-20s %10.3f ms  x %.2f\n", t.bench.c_str(), t.name.c_str(), t.seconds * 1e3, t.ratio);
      all.push_back(t);
    }
  }
  if (wanted.json.empty() || write_json(wanted.json, all)) return ok;
  std::cerr << "ptox bench: cannot write " << wanted.json << '\n';
  return internal;
}

}  // namespace

const Verb bench_verb{"bench", "compare with other ways of doing it, in one run", help, run};

}  // namespace ptox::tool
