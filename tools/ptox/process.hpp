// SPDX-License-Identifier: Apache-2.0
// Runs another program and reports how it ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptox::tool {

struct ProgramEnd {
  int code = 0;         ///< its exit code, when no signal ended it
  int signal = 0;       ///< the signal that ended it, or 0
  std::string error{};  ///< why it did not start, or empty
};

/// Runs `command[0]`, found as the shell finds it, with these variables besides the environment; streams are shared.
/// An interrupt from the terminal is the program's to judge while it runs.
ProgramEnd run_program(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& variables = {});

/// The file that the shell would run for a name, or nothing.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// "9 (Killed)".
std::string signal_text(int signal);

/// A folder of our own for temporary files, gone when this dies. Throws when there is no place for it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ptox::tool
