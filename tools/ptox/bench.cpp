// SPDX-License-Identifier: Apache-2.0
// ptox bench: executes the measuring program, a separate build target, so that other builds do not wait for it.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "bench_options.hpp"
#include "installation.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

/// Replaces this process by the program; returns only if the program is missing.
void become(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
}

std::string help() {
  BenchOptions o;
  return bench_command_line(o).help();
}

int run(Arguments arguments) {
  for (const std::string& a : arguments)
    if (a == "--help" || a == "-h") return std::cout << help(), ok;
  std::vector<std::string> words(arguments.begin(), arguments.end());
  const bool gpu = std::erase(words, "--gpu") > 0;
  const std::string program = program_beside(gpu ? "ptox-gpu-bench" : "ptox-bench");
  become(program, words);
  std::cerr << "ptox bench: " << (gpu ? "--gpu needs " : "needs ") << program << ", which is built "
            << (gpu ? "where nvcc is found (CUDA 12 or later): " : "by itself, not with the tool: ")
            << "cmake --build BUILD --target " << (gpu ? "ptox_gpu_bench" : "ptox_bench")
            << ", then cmake --install BUILD for an installed ptox\n";
  return internal;
}

}  // namespace

const Verb bench_verb{"bench", "compare with other ways of doing it, in one run", help, run};

}  // namespace ptox::tool
