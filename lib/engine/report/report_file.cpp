// SPDX-License-Identifier: Apache-2.0
#include "engine/report/report_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace ptox {

namespace {

constexpr const char* part_suffix = ".part";
constexpr int most_copies = 100;

/// "report.2.json" for "report.json".
std::string numbered(const std::string& name, int number) {
  std::filesystem::path path = name;
  return path.replace_extension("." + std::to_string(number) + path.extension().string()).string();
}

/// Creates an empty file; false if it exists or cannot be created.
bool create(const std::string& name) {
  const int file = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
  return file >= 0;
}

/// The first of NAME, NAME with 2, NAME with 3... that nobody uses.
std::string unused(const std::string& name) {
  for (int copy = 1; copy <= most_copies; ++copy) {
    const std::string candidate = copy == 1 ? name : numbered(name, copy);
    if (access(candidate.c_str(), F_OK) != 0 && create(candidate + part_suffix)) return candidate;
  }
  return name;
}

}  // namespace

std::string with_process(const std::string& path) {
  std::string out = path;
  const std::string number = std::to_string(getpid());
  std::size_t at = out.rfind('/') == out.npos ? 0 : out.rfind('/');
  while ((at = out.find("%p", at)) != out.npos) {
    out.replace(at, 2, number);
    at += number.size();
  }
  return out;
}

const std::string& ReportFile::name() {
  if (!name_.empty()) return name_;
  name_ = with_process(path_);
  if (name_ != path_) name_ = unused(name_);
  return name_;
}

void ReportFile::write_part(const Report& report) { report.write_json(name() + part_suffix); }

void ReportFile::write(const Report& report) {
  report.write_json(name());
  discard_part();
}

void ReportFile::set_rank(int rank) {
  if (with_process(path_) != path_) return;
  discard_part();
  name_ = numbered(path_, rank);
}

void ReportFile::discard_part() { unlink((name() + part_suffix).c_str()); }

}  // namespace ptox
