// SPDX-License-Identifier: Apache-2.0
// What does a .pto file compute?
#include "asm/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <set>

#include "asm/input.hpp"
#include "asm/inputs.hpp"
#include "asm/verify.hpp"
#include "comm/engine.hpp"
#include "installation.hpp"

namespace ptox::tool {

namespace {

using assembly::Argument;

struct Order {
  Input input;
  assembly::RunOptions options;
  std::string trace;
  assembly::RunRanks ranks;
  bool has_ranks = false, has_engine = false;
};

bool parse_number(const std::string& text, std::uint64_t most, std::uint64_t& out) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc() && end == text.data() + text.size() && !text.empty() && out <= most;
}

/// `name=value` into a map; a sentence when it is not that.
std::string take_pair(const std::string& option, const std::string& text, std::map<std::string, std::string>& map) {
  const std::size_t eq = text.find('=');
  if (eq == std::string::npos || eq == 0 || eq + 1 == text.size())
    return option + " wants name=" + (option == "--arg" ? "number" : "file.npy") + "; it is '" + text + "'";
  std::string name = text.substr(0, eq);
  if (name.starts_with('%')) name.erase(0, 1);
  if (!map.emplace(name, text.substr(eq + 1)).second) return option + " gives " + name + " twice";
  return "";
}

/// --ranks, --engine, --deadline.
std::string take_rank_option(const std::string& name, const std::string& value, Order& order) {
  std::uint64_t n = 0;
  if (name == "--ranks") {
    if (!parse_number(value, 1024, n) || n < 1) return "--ranks is '" + value + "'; it is 1 to 1024";
    return order.ranks.count = static_cast<int>(n), order.has_ranks = true, "";
  }
  if (name == "--deadline") {
    if (!parse_number(value, 86400000, n) || n < 1) return "--deadline is '" + value + "'; it is 1 to 86400000 ms";
    return order.ranks.deadline = std::chrono::milliseconds(n), order.has_engine = true, "";
  }
  constexpr std::pair<const char*, Engine> engines[] = {
      {"threads", Engine::threads}, {"processes", Engine::processes}, {"mpi", Engine::mpi}};
  for (const auto& [word, engine] : engines)
    if (value == word) return order.ranks.engine = engine, order.has_engine = true, "";
  return "--engine is '" + value + "'; it is threads, processes or mpi";
}

std::string take_option(const std::string& name, const std::string& value, Order& order) {
  assembly::RunOptions& o = order.options;
  std::uint64_t n = 0;
  if (name == "--in") return take_pair(name, value, o.in);
  if (name == "--out") return take_pair(name, value, o.out);
  if (name == "--arg") return take_pair(name, value, o.scalars);
  if (name == "--kernel") return o.kernel = value, "";
  if (name == "--trace") return order.trace = value, "";
  if (name == "--check") {
    if (value != "off" && value != "all") return "--check is '" + value + "'; it is off or all";
    return o.check = value == "all" ? Check::all : Check::off, "";
  }
  if (name == "--seed") return parse_number(value, UINT64_MAX, o.launch.seed) ? "" : "--seed wants a number from 0 on";
  if (name == "--blocks") {
    if (!parse_number(value, 65535, n) || n < 1) return "--blocks is '" + value + "'; it is 1 to 65535";
    return o.launch.blocks = static_cast<int>(n), "";
  }
  if (!parse_number(value, std::uint64_t{1} << 40, n)) return "--dyn-ub is '" + value + "'; it is a number of bytes";
  return o.launch.dyn_ub_bytes = static_cast<std::size_t>(n), "";
}

std::string parse(Arguments arguments, Order& order) {
  const std::string rank_options[] = {"--ranks", "--engine", "--deadline"};
  const auto among = [](const auto& names, const std::string& name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  const std::string options[] = {"--in",    "--out",  "--arg",    "--kernel", "--trace",
                                 "--check", "--seed", "--blocks", "--dyn-ub"};
  for (ArgumentWalk walk(arguments); walk.next();) {
    std::string error;
    const std::string name = walk.name();
    if (name == "--insert-sync" && !walk.has_value()) {
      order.options.insert_sync = true;
    } else if (among(options, name) || among(rank_options, name)) {
      const auto value = walk.value();
      const auto take = among(options, name) ? take_option : take_rank_option;
      error = value ? take(name, *value, order) : name + " wants a value";
    } else if (!take_input(walk, order.input, error)) {
      error = "there is no option '" + name + "'";
    }
    if (!error.empty()) return error;
  }
  if (order.has_engine && !order.has_ranks) return "--engine and --deadline are for --ranks N";
  if (order.has_ranks) order.options.ranks = order.ranks, order.options.ranks->trace = order.trace;
  return order.input.file.empty() ? "which file?" : "";
}

std::string shape_text(const Argument& a) {
  std::string text;
  for (std::int64_t n : a.shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text.empty() ? "0" : text;
}

/// How many elements, the first of them, and the range.
std::string content_text(const Argument& a) {
  const auto size = static_cast<std::size_t>(pto::instr::size_of(a.dtype));
  const std::size_t count = a.bytes.size() / size, shown = std::min<std::size_t>(count, 6);
  std::string text = "= ";
  for (std::size_t i = 0; i < shown; ++i)
    text += assembly::element_text(a.dtype, a.bytes.data() + i * size) + (i + 1 < count ? " " : "");
  if (count <= shown) return text;
  double low = 0, high = 0, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double v = assembly::element_value(a.dtype, a.bytes.data() + i * size);
    low = i && low <= v ? low : v, high = i && high >= v ? high : v, sum += v;
  }
  char numbers[120];
  std::snprintf(numbers, sizeof numbers, "...; least %g, greatest %g, sum %.10g", low, high, sum);
  return text + numbers;
}

std::string padded(std::string text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

/// `dst`, where there are ranks `dst@2`.
std::string name_of(const Argument& a) { return a.rank < 0 ? a.name : a.name + "@" + std::to_string(a.rank); }

void print_text(const Order& order, const assembly::RunResult& result) {
  std::size_t names = 0, types = 0, origins = 0;
  const auto type_text = [](const Argument& a) { return std::string(name(a.dtype)) + " " + shape_text(a); };
  for (const Argument& a : result.arguments) {
    names = std::max(names, name_of(a).size()), types = std::max(types, type_text(a).size());
    origins = std::max(origins, a.origin.size());
  }
  std::cout << result.report;
  if (!result.checked)
    std::cout << "checks are off: --check all looks at indices, bounds and bytes that were never written\n";
  if (result.report.has("race") && !order.options.insert_sync)
    std::cout << "--insert-sync adds the flags that are missing\n";
  if (result.report.has("comm-timeout"))
    std::cout << "--deadline MS gives ranks more time to come; it is " << order.ranks.deadline.count() << " ms\n";
  std::cout << "kernel " << result.kernel;
  if (order.options.ranks) std::cout << ", " << order.ranks.count << (order.ranks.count == 1 ? " rank" : " ranks");
  std::cout << ":\n";
  for (const Argument& a : result.arguments) {
    if (!a.pointer) continue;
    std::cout << "  " << padded(name_of(a), names + 2) << padded(type_text(a), types + 2)
              << padded(a.origin, origins + 2);
    std::cout << (a.written ? content_text(a) : "read only");
    for (const std::string& name : std::set{a.name, name_of(a)})
      if (const auto file = order.options.out.find(name); file != order.options.out.end())
        std::cout << "  -> " << file->second;
    std::cout << '\n';
  }
}

int execute(Order& order, const std::string& text) {
  assembly::Diagnostics said;
  const auto module = assembly::read(text, order.input.file, order.input.form, said);
  std::string target = order.input.target;
  std::optional<assembly::RunResult> result;
  if (order.input.strict) said.make_strict();
  if (module && !said.has_errors()) {
    const Target* t = assembly::target_of(*module, order.input.target, said);
    if (!t && !order.input.target.empty()) return usage_error(run_verb, said.all().back().message);
    if (t) target = t->name, result = assembly::run(*module, *t, order.options, said);
  }
  if (order.input.strict) said.make_strict();
  if (!result || said.has_errors()) return print(said, order.input, target), said.usage() ? usage : found;
  if (!result->speaks) return result->report.clean() ? ok : found;
  for (const assembly::Diagnostic& d : said.all()) std::cerr << d;
  if (order.input.format == "text") {
    print_text(order, *result);
  } else {
    std::cout << (order.input.format == "json" ? result->report.json() : result->report.sarif());
  }
  if (result->left_running) {  // a thread that is not ours to end may still use what is about to go
    std::cout.flush();
    std::_Exit(result->report.clean() ? ok : found);
  }
  if (!order.trace.empty() && !order.options.ranks) try {
      result->report.write_trace(order.trace);
    } catch (const std::exception& e) {
      return std::cerr << "ptox run: --trace: " << e.what() << '\n', usage;
    }
  return result->report.clean() ? ok : found;
}

/// Goes on as the program beside this one that has MPI. Comes back where there is none: what runs then says so.
void become_mpi_tool(Arguments arguments) {
  const std::string beside = program_beside("ptox-mpi");
  std::vector<char*> words{const_cast<char*>(beside.c_str()), const_cast<char*>("run")};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execv(beside.c_str(), words.data());
}

int run(Arguments arguments) {
  Order order;
  std::string error = parse(arguments, order);
  if (!error.empty()) return usage_error(run_verb, error);
  if (order.ranks.engine == Engine::mpi && !comm::mpi_runner) become_mpi_tool(arguments);
  const std::string text = file_text(order.input.file, error);
  if (!error.empty()) return std::cerr << "ptox run: " << error << '\n', usage;
  return execute(order, text);
}

}  // namespace

const Verb run_verb{
    "run", "run a kernel of a .pto file on a target",
    "usage: ptox run FILE [--target cpu|a2a3|a5] [--check off|all] [--kernel NAME] [--in name=x.npy]...\n"
    "                [--out name=y.npy]... [--arg n=128]... [--seed N] [--blocks N] [--dyn-ub BYTES]\n"
    "                [--ranks N [--engine threads|processes|mpi] [--deadline MS]]\n"
    "                [--insert-sync] [--trace t.json] [--format text|json|sarif] [--form as|mlir] [--strict]\n\n"
    "Compiles the kernel and runs it. Arguments go by their names in the file: arrays come from --in, else\n"
    "they are as large as the views made of them and filled from the seed; scalars come by --arg. bf16 is\n"
    "uint16 bits in .npy files, fp8 and hif8 are uint8. --insert-sync adds the flags the target needs.\n"
    "--trace writes a timeline for ui.perfetto.dev.\n"
    "--ranks runs the kernel on N ranks, each with arrays of its own, at the same places: --in x=f.npy is every\n"
    "rank's, --in x@2=f.npy rank 2's; --out y=f.npy has the ranks as its first dimension, --out y@2=f.npy is\n"
    "rank 2's. Collectives are the root's: elsewhere they do nothing. --trace t.json writes t.0.json, t.1.json...\n"
    "--engine mpi: as `mpirun -n N ptox run FILE --ranks N --engine mpi`, with the mpirun of the MPI it was built "
    "with.\n"
    "--deadline is of every wait for another rank, 5000 ms if left out. Exit code 0: clean; 1: findings, or the file "
    "was\n"
    "rejected; 2: usage; 3: internal error. Checks are on by default on a2a3 and a5, off on cpu.\n",
    run};

}  // namespace ptox::tool
