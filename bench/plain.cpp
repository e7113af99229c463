// SPDX-License-Identifier: Apache-2.0
#include "bench/plain.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "installation.hpp"
#include "process.hpp"

namespace ptox::bench {

namespace {

namespace fs = std::filesystem;

struct Entry {
  const char* name;
  PlainLoop loop;
};

extern "C" const Entry ptox_plain_loops[];

/// Compiles and loads the loops, and adds them to `all`. A compiler that fails has printed its own messages.
void add_compiled(std::vector<PlainLoops>& all, const std::string& compiler, const fs::path& source) {
  const tool::TemporaryFolder folder;  // a library stays loaded when its file is deleted
  const std::string library = folder.path() / "plain.so";
  const tool::ProgramEnd end = tool::run_program(
      {compiler, "-std=c++20", "-O3", "-march=native", "-w", "-shared", "-fPIC", source.string(), "-o", library});
  if (!end.error.empty() || end.signal || end.code) return;
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (void* found = loaded ? dlsym(loaded, "ptox_plain_loops") : nullptr) all.push_back({compiler, found});
}

std::vector<PlainLoops> made() {
  std::vector<PlainLoops> all;
  const fs::path source = tool::bench_folder() / "plain/loops.cpp";
  std::error_code none;
  if (fs::is_regular_file(source, none)) {
    if (tool::find_program("g++")) add_compiled(all, "g++", source);
    for (const char* clang : {"clang++-19", "clang++"})
      if (tool::find_program(clang)) {
        add_compiled(all, clang, source);
        break;
      }
  }
  if (all.empty()) all.push_back({"built in", ptox_plain_loops});
  return all;
}

}  // namespace

PlainLoop PlainLoops::find(const std::string& name) const {
  for (const Entry* e = static_cast<const Entry*>(all); e->name; ++e)
    if (name == e->name) return e->loop;
  return nullptr;
}

const std::vector<PlainLoops>& plain_loops() {
  static const std::vector<PlainLoops> all = made();
  return all;
}

}  // namespace ptox::bench
