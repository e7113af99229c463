// SPDX-License-Identifier: Apache-2.0
#include "bench/machine.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "loops/level.hpp"

namespace ptox::bench {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The value behind the colon in the first line of a file that starts with `name`.
std::string value_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name) && line.find(':') != line.npos)
      return line.substr(std::min(line.size(), line.find_first_not_of(" \t", line.find(':') + 1)));
  return {};
}

/// The data caches as text: "L1 32K, L2 1024K, L3 32768K".
std::string caches() {
  std::string all;
  for (int i = 0; i < 8; ++i) {
    const std::string place = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string size = first_line(place + "size");
    if (size.empty() || first_line(place + "type") == "Instruction") continue;
    all += (all.empty() ? "L" : ", L") + first_line(place + "level") + " " + size;
  }
  return all;
}

/// The setting for transparent huge pages; the kernel puts the active one in brackets.
std::string huge_pages() {
  const std::string line = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t open = line.find('['), close = line.find(']');
  return close == line.npos ? "" : line.substr(open + 1, close - open - 1);
}

std::string kernel() {
  utsname name;
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release + " " + name.machine : "";
}

}  // namespace

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

Facts machine() {
  Facts facts{{"cpu", value_in("/proc/cpuinfo", "model name")},
              {"cores", std::to_string(cores())},
              {"caches", caches()},
              {"memory", value_in("/proc/meminfo", "MemTotal")},
              {"huge pages", huge_pages()},
              {"simd", name(level())},
              {"kernel", kernel()}};
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace ptox::bench
