// SPDX-License-Identifier: Apache-2.0
// ptox bench --gpu: how fast are indexed moves on a GPU, beside torch, Triton and a copy?
#include <cuda_runtime_api.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/gpu/job.hpp"
#include "bench/gpu/shares.hpp"
#include "bench/python.hpp"
#include "process.hpp"
#include "ptox/cuda.hpp"

namespace {

using namespace ptox::bench;
using namespace ptox::bench::gpu;

constexpr int ok = 0, found = 1, usage = 2, internal = 3;

struct Wanted {
  std::vector<std::string> names;
  int rounds = 0;
  bool quick = false, list = false;
  std::string json, svg;
  bool has(const Case& c) const {
    return names.empty() || std::find(names.begin(), names.end(), c.name) != names.end();
  }
};

/// Empty, or what is wrong.
std::string parse(const std::vector<std::string>& words, Wanted& wanted) {
  const std::vector<Case> cases = all_cases(false);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--rounds" || word == "--json" || word == "--svg") {
      if (i + 1 == words.size()) return word + " needs a value";
      const std::string& value = words[++i];
      if (word == "--json") wanted.json = value;
      if (word == "--svg") wanted.svg = value;
      const char* end = value.data() + value.size();
      if (word == "--rounds" && (std::from_chars(value.data(), end, wanted.rounds).ptr != end || wanted.rounds < 1))
        return "--rounds is " + value + ", it is a number from 1 on";
    } else if (word == "--quick") {
      wanted.quick = true;
    } else if (word == "--list") {
      wanted.list = true;
    } else if (std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.name == word; })) {
      wanted.names.push_back(word);
    } else {
      return "there is no " + std::string(word.starts_with("-") ? "option" : "case") + " '" + word +
             "'; `ptox bench --gpu --list` prints the cases";
    }
  }
  if (wanted.rounds == 0) wanted.rounds = wanted.quick ? 3 : 9;
  return {};
}

/// The ways of torch and Triton, until the next case is opened.
std::vector<Way> peers_of(Python& python, const Case& c, const std::vector<std::int32_t>& idx,
                          const ptox::tool::TemporaryFolder& folder) {
  if (!python.there()) return {};
  const std::string file = folder.path() / "idx";
  if (c.order == Order::zipf)
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(idx.data()), static_cast<std::streamsize>(idx.size() * 4));
  std::ostringstream line;
  line << "open " << name(c.work) << ' ' << name(c.type) << ' ' << c.rows << ' ' << c.width << ' ' << c.count << ' '
       << (c.order == Order::zipf ? "zipf" : ptox::bench::name(c.order)) << ' ' << file;
  std::istringstream answer(python.ask(line.str()));
  std::vector<Way> ways;
  for (std::string peer; answer >> peer;) {
    if (peer != "torch" && peer != "triton") return {};
    ways.push_back({peer, [&python, peer] { return python.seconds("run " + peer, peer); }, Kind::peer});
  }
  return ways;
}

int run(const Wanted& wanted) {
  int devices = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0)
    throw std::runtime_error(std::string("no CUDA device: ") +
                             (code == cudaSuccess ? "the driver knows none" : cudaGetErrorString(code)));
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  Python python("gpu/peers.py", "python3");
  double copied = 0;
  const Series copy = copy_ceiling(wanted.rounds, wanted.quick, copied);
  const double rate = copied / copy.median();
  std::printf("device   %s\ncopy     %.0f GB/s read and written\npeers    %s\n", device.name, rate / 1e9,
              python.sentence().c_str());
  if (wanted.quick) std::printf("quick    sizes cut down: not to be quoted\n");
  std::printf("\n");
  print_heading(stdout);
  const ptox::tool::TemporaryFolder folder;
  std::vector<Measured> all;
  for (const Case& c : all_cases(wanted.quick)) {
    if (!wanted.has(c)) continue;
    const Job job(c);
    if (const std::int64_t wrong = job.wrong_words(); wrong != 0) {
      std::fprintf(stderr, "ptox bench: error: %s: %lld words differ from those of the straight kernel\n",
                   c.name.c_str(), static_cast<long long>(wrong));
      return found;
    }
    std::vector<Way> ways = job.ways();
    for (Way& w : peers_of(python, c, job.idx(), folder)) ways.push_back(std::move(w));
    Result result;
    result.bench = "gpu", result.name = c.name, result.about = c.about, result.items = static_cast<double>(c.count);
    result.series = in_turns(ways, wanted.rounds);
    result.series.push_back(copy);
    all.push_back({c, std::move(result), rate});
    print(stdout, all.back());
    ptox::cuda::synchronize(), python.ask("close");
  }
  Circumstances about{
      {{"gpu", device.name}, {"copy GB/s", std::to_string(rate / 1e9)}, {"peers", python.sentence()}}, 1, wanted.quick};
  std::vector<Result> results;
  for (const Measured& m : all) results.push_back(m.result);
  const auto written = [](const std::string& path, bool done) {
    if (!done) std::fprintf(stderr, "ptox bench: cannot write %s\n", path.c_str());
    return done;
  };
  if (!wanted.json.empty() && !written(wanted.json, write_json(wanted.json, about, results))) return internal;
  if (!wanted.svg.empty() && !written(wanted.svg, write_chart(wanted.svg, device.name, all))) return internal;
  return ok;
}

}  // namespace

int main(int count, char** words) {
  Wanted wanted;
  const std::vector<std::string> arguments(words + 1, words + count);
  if (const std::string wrong = parse(arguments, wanted); !wrong.empty()) {
    std::fprintf(stderr, "ptox bench: %s\nsee ptox bench --help\n", wrong.c_str());
    return usage;
  }
  if (wanted.list) {
    for (const Case& c : all_cases(false)) std::printf("%-16s %s: %s\n", c.name.c_str(), name(c.work), c.about.c_str());
    return ok;
  }
  try {
    return run(wanted);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ptox bench: %s\n", e.what());
    return found;
  }
}
