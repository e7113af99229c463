// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of a .pto file and prints what it wrote.
#include "asm/run/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include "asm/input.hpp"
#include "asm/run/inputs.hpp"
#include "asm/verify/verify.hpp"
#include "comm/group/engine.hpp"
#include "installation.hpp"

namespace ptox::tool {

namespace {

using assembly::Argument;

/// The options of the command line and the options of the assembler that are made from them.
struct Order {
  const RunOptions& words;
  const PtoInput& input = words.input;
  assembly::RunOptions options{};
};

/// Adds `name=value` to the map. Returns a sentence if the text has another form.
std::string take_pair(const std::string& option, const std::string& text, std::map<std::string, std::string>& map) {
  const std::size_t eq = text.find('=');
  if (eq == std::string::npos || eq == 0 || eq + 1 == text.size())
    return option + " takes name=" + (option == "--arg" ? "number" : "file.npy") + "; it is '" + text + "'";
  std::string name = text.substr(0, eq);
  if (name.starts_with('%')) name.erase(0, 1);
  if (!map.emplace(name, text.substr(eq + 1)).second) return option + " gives " + name + " twice";
  return "";
}

std::string take_pairs(Order& order) {
  assembly::RunOptions& o = order.options;
  std::string error;
  const auto all = [&](const char* option, const std::vector<std::string>& pairs, auto& map) {
    for (const std::string& pair : pairs)
      if (error.empty()) error = take_pair(option, pair, map);
  };
  all("--in", order.words.in, o.in), all("--out", order.words.out, o.out);
  all("--arg", order.words.arguments, o.scalars);
  return error;
}

Engine engine_of(const std::string& name) {
  if (name == "mpi") return Engine::mpi;
  return name == "processes" ? Engine::processes : Engine::threads;
}

/// Fills the options of the assembler. Returns what is wrong with the command line, or an empty string.
std::string fill(Order& order) {
  const RunOptions& words = order.words;
  assembly::RunOptions& o = order.options;
  o.kernel = words.kernel, o.insert_sync = words.insert_sync;
  if (!words.check.empty()) o.check = words.check == "all" ? Check::all : Check::off;
  o.launch = {.blocks = words.blocks, .dyn_ub_bytes = words.dyn_ub_bytes, .seed = words.seed};
  if (words.ranks > 0) {
    o.ranks = {.count = words.ranks, .engine = engine_of(words.engine), .trace = words.trace};
    if (words.deadline_ms > 0) o.ranks->deadline = std::chrono::milliseconds(words.deadline_ms);
  }
  return take_pairs(order);
}

std::string shape_text(const Argument& a) {
  std::string text;
  for (std::int64_t n : a.shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text.empty() ? "0" : text;
}

/// The first elements and, if there are more, the least, the greatest and the sum of all.
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
  text.append(text.size() < width ? width - text.size() : 1, ' ');
  return text;
}

/// The name of an argument, with several ranks as in `dst@2`.
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
    std::cout << "checks are off: --check all checks indices, bounds and bytes that were never written\n";
  if (result.report.has(FindingKind::race) && !order.options.insert_sync)
    std::cout << "--insert-sync adds the flags that are missing\n";
  if (order.options.ranks && result.report.has(FindingKind::comm_timeout))
    std::cout << "--deadline MS gives ranks more time to come; it is " << order.options.ranks->deadline.count()
              << " ms\n";
  std::cout << "kernel " << result.kernel;
  if (order.options.ranks) std::cout << ", " << order.words.ranks << (order.words.ranks == 1 ? " rank" : " ranks");
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

int execute(Order& order, const std::string& text, const CommandLine& line) {
  assembly::Diagnostics said;
  const auto module = assembly::read(text, order.input.file, text_form(order.input), said);
  std::string target = order.input.target;
  std::optional<assembly::RunResult> result;
  if (order.input.strict) said.make_strict();
  if (module && !said.has_errors()) {
    const Target* t = assembly::target_of(*module, order.input.target, said);
    if (!t && !order.input.target.empty()) return line.wrong(said.all().back().message);
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
  if (result->left_running) {  // a thread that cannot be ended may still use what a normal exit destroys
    std::cout.flush();
    std::_Exit(result->report.clean() ? ok : found);
  }
  if (!order.words.trace.empty() && !order.options.ranks) try {
      result->report.write_trace(order.words.trace);
    } catch (const std::exception& e) {
      return std::cerr << "ptox run: --trace: " << e.what() << '\n', usage;
    }
  return result->report.clean() ? ok : found;
}

/// Replaces this process by ptox-mpi in the same folder. Returns if there is none; the run then reports that.
void become_mpi_tool(Arguments arguments) {
  const std::string beside = program_beside("ptox-mpi");
  std::vector<char*> words{const_cast<char*>(beside.c_str()), const_cast<char*>("run")};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execv(beside.c_str(), words.data());
}

}  // namespace

int run_file(const RunOptions& options, const CommandLine& line, Arguments arguments) {
  Order order{options};
  if (const std::string wrong = fill(order); !wrong.empty()) return line.wrong(wrong);
  if (options.engine == "mpi" && !comm::mpi_runner) become_mpi_tool(arguments);
  std::string error;
  const std::string text = file_text(options.input.file, error);
  if (!error.empty()) return std::cerr << "ptox run: " << error << '\n', usage;
  return execute(order, text, line);
}

}  // namespace ptox::tool
