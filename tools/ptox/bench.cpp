// SPDX-License-Identifier: Apache-2.0
// ptox bench: how long does it take, beside the other ways of doing it?
#include "bench/bench.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>

#include "bench/peers.hpp"
#include "bench/plain.hpp"
#include "bench/report.hpp"
#include "bench/svg.hpp"
#include "installation.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

const char* const help =
    "usage: ptox bench [NAME...] [--rounds N] [--threads N] [--quick] [--json FILE] [--svg FILE] [--list]\n\n"
    "Times ways of doing one thing in one run, each in turn, and prints medians. Without a NAME: w1 to w9,\n"
    "ours beside a plain loop compiled here with -O3 -march=native (the faster of g++ and clang), numpy and\n"
    "torch where bench/peers.sh set them up, and what the memory of this machine can do at best. Every result\n"
    "is first compared with that of the plain loop, bit for bit.\n\n"
    "  w1 w1-zipf      gather rows of 512 bytes: asked for evenly, or a few of them often\n"
    "  w2-64 w2-16     gather rows of 64 and of 16 bytes\n"
    "  w3 w3-4k w3-64ki\n"
    "                  gather elements: from a large table, the same on 4 KiB pages, from a table that fits in L2\n"
    "  w4              scatter rows to the places of a permutation\n"
    "  w5 w6 w7        add rows, add elements, the maximum of elements\n"
    "  w8-row-f16 w8-row-bf16 w8-elem-f16 w8-elem-bf16\n"
    "                  add rows and elements of 16-bit floats\n"
    "  w9-row w9-elem  one MGATHER of 8 x 32 in a launched kernel, a million calls: a millisecond is a nanosecond a "
    "call\n"
    "  hostile         indices all the same, two, sorted, reversed, Zipf, in a window, against the plain loop\n"
    "  sentinel        a share of the indices is -1 and skipped or zeroed, against all valid\n"
    "  tile            kernels that go tile by tile, against the functions for whole tensors\n"
    "  sizes widths    cost of one against how many there are, and against the width of a row\n"
    "  sharded         a table over two ranks, processes or threads, against one process on one thread\n"
    "  check           how much longer a checked run of a model takes: a lookup of a million rows\n"
    "  unchecked       what an unchecked run on the host pays for the checker's existence\n\n"
    "  --rounds N   that many rounds; unless given 9 for w1 to w9, fewer for the long ones\n"
    "  --threads N  what is timed on many threads uses N, unless given all cores; 1: one thread alone\n"
    "  --quick      small sizes, 3 rounds: to see in seconds that all works, not to be quoted\n"
    "  --json FILE  write the machine and every round's seconds there as well\n"
    "  --svg FILE   draw charts there: w1 to w9 and hostile as bars, sizes and widths as curves\n"
    "  --list       print the names and what they ask\n"
    "  --gpu        on a GPU, with cases of its own (--gpu --list), --rounds, --quick, --json and --svg: ptox::cuda "
    "beside\n"
    "               a straight kernel, torch and Triton where the Python of PTOX_PEERS (or python3) has them, as "
    "shares\n"
    "               of the bytes a second that a copy moves there\n\n"
    "ratio: how many times as fast as the plain loop. spread: the middle half of the rounds, as a share of the\n"
    "median. limit: the slower of a sequential copy of the bytes moved and of reading the table's cache lines\n"
    "with prefetch. To the right of the bar: the same on all threads; gain: one thread's time over that of all.\n\n"
    "Exit codes: 0 done, 1 a result differs from the plain loop's, 2 wrong arguments, 3 a file cannot be written.\n";

struct Wanted {
  std::vector<const bench::Bench*> benches;
  bench::Settings settings{.threads = bench::cores()};
  bool list = false;
  std::string json, svg;

  bool need(bench::Needs least) const {
    return std::ranges::any_of(benches, [&](const bench::Bench* b) { return b->needs >= least; });
  }
};

const bench::Bench* find(const std::string& name) {
  for (const bench::Bench& b : bench::all())
    if (name == b.name) return &b;
  return nullptr;
}

/// Empty, or what is wrong.
std::string parse_number(const std::string& option, const std::string& value, int most, int& number) {
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc{} && stop == end && number >= 1 && number <= most) return {};
  return option + " is " + value + ", it is a number from 1 to " + std::to_string(most);
}

/// Empty, or what is wrong.
std::string parse_value(const std::string& option, const std::string& value, Wanted& wanted) {
  if (option == "--rounds") return parse_number(option, value, 1000, wanted.settings.rounds);
  if (option == "--threads") return parse_number(option, value, 1024, wanted.settings.threads);
  if (value.empty()) return option + " is empty, it is a file's name";
  (option == "--json" ? wanted.json : wanted.svg) = value;
  return {};
}

/// Empty, or what is wrong.
std::string parse(Arguments words, Wanted& wanted) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--rounds" || word == "--threads" || word == "--json" || word == "--svg") {
      if (i + 1 == words.size()) return word + " needs a value";
      if (const std::string wrong = parse_value(word, words[++i], wanted); !wrong.empty()) return wrong;
    } else if (word == "--quick" || word == "--list") {
      (word == "--quick" ? wanted.settings.quick : wanted.list) = true;
    } else if (word.starts_with("-")) {
      return "there is no option '" + word + "'";
    } else if (const bench::Bench* b = find(word)) {
      if (std::ranges::find(wanted.benches, b) == wanted.benches.end()) wanted.benches.push_back(b);
    } else {
      return "there is no benchmark '" + word + "'; `ptox bench --list` prints them";
    }
  }
  if (wanted.benches.empty())
    for (const bench::Bench& b : bench::all())
      if (b.needs == bench::Needs::peers) wanted.benches.push_back(&b);
  return {};
}

int list() {
  for (const bench::Bench& b : bench::all()) std::printf("%-13s %s\n", b.name.c_str(), b.question.c_str());
  return ok;
}

/// "g++ and clang++-19, -O3 -march=native".
std::string plain_sentence() {
  std::string names;
  for (const bench::PlainLoops& loops : bench::plain_loops()) names += (names.empty() ? "" : " and ") + loops.compiler;
  if (names == "built in") return "the copy in the tool, no compiler was found: not built for this machine";
  return names + ", -O3 -march=native";
}

/// Results as far as they came, also when the last one was wrong.
int measure(const Wanted& wanted, const bench::Circumstances& about, std::vector<bench::Result>& results) {
  bench::Table table(stdout, about.threads);
  try {
    for (const bench::Bench* b : wanted.benches)
      b->run(wanted.settings, [&](bench::Result r) {
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

/// Goes on as the program beside this one that knows GPUs. Comes back where there is none.
int become_gpu_bench(Arguments arguments) {
  const std::string beside = program_beside("ptox-gpu-bench");
  std::vector<char*> words{const_cast<char*>(beside.c_str())};
  for (const std::string& a : arguments)
    if (a != "--gpu") words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execv(beside.c_str(), words.data());
  std::cerr << "ptox bench: --gpu needs " << beside << ", which is built where nvcc is found (CUDA 12 or later): "
            << "cmake --build BUILD --target ptox_gpu_bench\n";
  return found;
}

int run(Arguments words) {
  if (std::ranges::find(words, "--gpu") != words.end()) return become_gpu_bench(words);
  Wanted wanted;
  if (const std::string wrong = parse(words, wanted); !wrong.empty()) return usage_error(bench_verb, wrong);
  if (wanted.list) return list();
  for (const std::string& path : {wanted.json, wanted.svg})  // known now, not after minutes
    if (!path.empty() && !std::ofstream(path, std::ios::app)) return write(path, false);
  bench::Circumstances about{bench::machine(), wanted.settings.threads, wanted.settings.quick};
  std::optional<bench::Peers> peers;
  if (wanted.need(bench::Needs::plain)) about.facts.emplace_back("plain", plain_sentence());
  if (wanted.need(bench::Needs::peers)) about.facts.emplace_back("peers", peers.emplace().sentence());
  wanted.settings.peers = peers ? &*peers : nullptr;
  print(about, stdout);
  std::fflush(stdout);
  std::vector<bench::Result> results;
  int code = measure(wanted, about, results);
  if (!wanted.json.empty()) code = std::max(code, write(wanted.json, write_json(wanted.json, about, results)));
  if (!wanted.svg.empty()) code = std::max(code, write(wanted.svg, write_svg(wanted.svg, about, results)));
  return code;
}

}  // namespace

const Verb bench_verb{"bench", "compare with other ways of doing it, in one run", help, run};

}  // namespace ptox::tool
