// SPDX-License-Identifier: Apache-2.0
// The common parts of the examples: named arguments in global memory, the command line, and the check of a result.
#pragma once

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "ptox/npy.hpp"
#include "ptox/ptox.hpp"

namespace example {

/// A pointer argument of a kernel: its name in the signature, its memory, and the expected content after a launch.
template <class T>
struct Array {
  std::string name;
  std::vector<std::int64_t> shape;
  ptox::Buffer<T> memory;
  std::vector<T> expected;  ///< empty: the kernel only reads it

  T& operator[](std::int64_t i) const { return memory[i]; }
  /// Declares that the kernel writes this argument. Returns what is expected, initially a copy of the memory.
  std::vector<T>& expect() { return expected.assign(memory.begin(), memory.end()), expected; }

  T* value() const { return memory.data(); }
  bool written() const { return !expected.empty(); }
  bool right() const { return !written() || std::memcmp(value(), expected.data(), expected.size() * sizeof(T)) == 0; }
  void save(const std::string& path) const { ptox::write_npy(path, pto::instr::dtype_of<T>, shape, value()); }
};

/// A scalar argument of a kernel.
template <class T>
struct Scalar {
  std::string name;
  T number;

  T value() const { return number; }
  bool written() const { return false; }
  bool right() const { return true; }
  void save(const std::string& path) const { ptox::write_npy(path, pto::instr::dtype_of<T>, {}, &number); }
};

/// Runs an example on one target.
class Run {
 public:
  Run(const ptox::Target& target, std::string dump, std::uint64_t seed)
      : device_(target, {.check = ptox::Check::all}), dump_(std::move(dump)), seed_(seed) {}

  template <class T>
  Array<T> array(const std::string& name, std::vector<std::int64_t> shape) {
    std::int64_t count = 1;
    for (const std::int64_t n : shape) count *= n;
    return {name, std::move(shape), device_.alloc<T>(count), {}};
  }

  /// Runs the kernel on its arguments and prints the outcome in one line. Returns whether the report is clean and the
  /// memory is as expected.
  template <auto kernel, class... Arguments>
  bool launch(const std::string& what, int blocks, const Arguments&... arguments) {
    (save(arguments, ".npy"), ...);
    const ptox::Report report = device_.launch<kernel>({.blocks = blocks, .seed = seed_}, arguments.value()...);
    ((arguments.written() ? save(arguments, ".out.npy") : void()), ...);
    const bool right = (arguments.right() && ...);
    std::printf("%-5s %s: %s, %s", device_.target().name, what.c_str(), right ? "as the plain loop" : "WRONG",
                report.clean() ? "clean" : "NOT CLEAN");
    if (report.cycles()) std::printf(", %" PRIu64 " cycles", report.cycles());
    std::printf("\n");
    std::fflush(stdout);
    if (!report.clean()) std::cout << report;
    return right && report.clean();
  }

 private:
  void save(const auto& argument, const char* ending) const {
    if (!dump_.empty()) argument.save(dump_ + "/" + argument.name + ending);
  }

  ptox::Device device_;
  std::string dump_;
  std::uint64_t seed_;
};

/// PROG [TARGET|all] [--dump DIR] [--seed N]: calls show(run) for each target. Returns 0 if all results are right, 1 if
/// not, and 2 for an invalid command line.
inline int run(int argc, char** argv, bool (*show)(Run&)) try {
  std::string target = "all", dump, seed = "0";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--dump" && i + 1 < argc)
      dump = argv[++i];
    else if (word == "--seed" && i + 1 < argc && std::strspn(argv[i + 1], "0123456789") == std::strlen(argv[i + 1]))
      seed = argv[++i];
    else if (word == "all" || ptox::find_target(word.c_str()))
      target = word;
    else
      return std::fprintf(stderr, "usage: %s [cpu|a2a3|a5|cuda|all] [--dump DIR] [--seed N]\n", argv[0]), 2;
  }
  if (!dump.empty()) std::filesystem::create_directories(dump);
  bool right = true;
  for (const ptox::Target* t : ptox::target::all)
    if (target == t->name || (target == "all" && ptox::compiled_for(*t))) {
      Run one(*t, dump, std::strtoull(seed.c_str(), nullptr, 10));
      right = show(one) && right;
    }
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
  return 1;
}

}  // namespace example
