// SPDX-License-Identifier: Apache-2.0
// The program that `ptox bench --gpu` runs: it compares indexed moves on a GPU with PyTorch, Triton and a copy.
#include <cuda_runtime_api.h>

#include <algorithm>
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
#include "bench_options.hpp"
#include "process.hpp"
#include "ptox/cuda.hpp"
#include "suggest.hpp"

namespace {

using namespace ptox::bench;
using namespace ptox::bench::gpu;

using namespace ptox::tool;

CommandLine command_line(BenchOptions& o) {
  return CommandLine(
             "ptox bench --gpu", "[NAME...]",
             "Times ptox::cuda beside a straight kernel, torch and Triton, as shares of the bytes a second that a "
             "copy moves.")
      .number("--rounds", o.rounds, {1, 1000}, "how often each way is timed", "9, with --quick 3")
      .flag("--quick", o.quick, "small sizes: shows that all works; figures are not to be quoted")
      .file("--json", o.json, "write every round's seconds there as well")
      .file("--svg", o.svg, "draw charts there")
      .flag("--list", o.list, "print the cases")
      .words(o.names)
      .example("ptox bench --gpu --quick", "shows that everything works");
}

/// An error message if a named case does not exist, else an empty string.
std::string wrong_in(const BenchOptions& o) {
  std::vector<std::string> names;
  for (const Case& c : all_cases(false)) names.push_back(c.name);
  for (const std::string& name : o.names)
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string suggestion = did_you_mean(name, names);
      return "there is no case '" + name + "'" + suggestion + (suggestion.empty() ? "; " : " ") +
             "`ptox bench --gpu --list` prints the cases";
    }
  return "";
}

bool has(const BenchOptions& o, const Case& c) {
  return o.names.empty() || std::find(o.names.begin(), o.names.end(), c.name) != o.names.end();
}

/// The ways of PyTorch and Triton; valid until the next case is opened.
std::vector<Way> peers_of(Python& python, const Case& c, const std::vector<std::int32_t>& idx,
                          const TemporaryFolder& folder) {
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

int run(const BenchOptions& wanted) {
  const int rounds = wanted.rounds > 0 ? wanted.rounds : wanted.quick ? 3 : 9;
  int devices = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0)
    throw std::runtime_error(std::string("no CUDA device: ") +
                             (code == cudaSuccess ? "the driver reports none" : cudaGetErrorString(code)));
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  Python python("gpu/peers.py", "python3");
  double copied = 0;
  const Series copy = copy_ceiling(rounds, wanted.quick, copied);
  const double rate = copied / copy.median();
  std::printf("device   %s\ncopy     %.0f GB/s read and written\npeers    %s\n", device.name, rate / 1e9,
              python.sentence().c_str());
  if (wanted.quick) std::printf("quick    sizes cut down: not to be quoted\n");
  std::printf("\n");
  print_heading(stdout);
  const TemporaryFolder folder;
  std::vector<Measured> all;
  for (const Case& c : all_cases(wanted.quick)) {
    if (!has(wanted, c)) continue;
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
    result.series = in_turns(ways, rounds);
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
  BenchOptions wanted;
  const CommandLine line = command_line(wanted);
  if (const auto code = line.parse(std::vector<std::string>(words + 1, words + count))) return *code;
  if (const std::string wrong = wrong_in(wanted); !wrong.empty()) return line.wrong(wrong);
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
