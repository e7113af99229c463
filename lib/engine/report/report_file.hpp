// SPDX-License-Identifier: Apache-2.0
// The file of a process's findings, which the environment variable PTOX_REPORT names.
#pragma once

#include <string>

#include "ptox/report.hpp"

namespace ptox {

/// A file name in which "%p" in the last component stands for the number of this process.
std::string with_process(const std::string& path);

/// The report at the end of a process, and until then a second file, NAME.part, with the findings so far: it stays
/// where a process ends without its exit handlers, by _exit, exec or a signal. A name with "%p" gets a number as well
/// if the file exists, because two copies of ptox in one process (in plugins that link it statically) have a report
/// each.
class ReportFile {
 public:
  explicit ReportFile(std::string path) : path_(std::move(path)) {}

  /// Writes NAME.part. Throws std::invalid_argument.
  void write_part(const Report& report);
  /// Writes NAME and removes NAME.part. Throws std::invalid_argument.
  void write(const Report& report);
  /// Removes NAME.part, because another process reports the findings.
  void discard_part();
  /// Adds the rank of this process to the name of the file: "x.2.json". No effect on a name with "%p".
  void set_rank(int rank);
  /// In a forked child, whose files have another name.
  void begin_anew() { name_.clear(); }

 private:
  const std::string& name();
  std::string path_, name_;
};

}  // namespace ptox
