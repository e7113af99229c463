// SPDX-License-Identifier: Apache-2.0
// Runs another program and reports how it ended.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptox::tool {

struct ProgramEnd {
  int code = 0;         ///< exit code, if no signal ended it
  int signal = 0;       ///< signal that ended it, or 0
  std::string error{};  ///< why it did not start, or empty
  pid_t process = 0;    ///< its number, if it started
};

/// Ignores SIGINT and SIGQUIT during its lifetime, so that only the programs that are started meanwhile handle them.
class InterruptsIgnored {
 public:
  InterruptsIgnored();
  ~InterruptsIgnored();
  InterruptsIgnored(const InterruptsIgnored&) = delete;
  /// Whether a program that is started gets the default handling of the signal.
  static bool restores(int signal);
};

struct StartedProgram {
  pid_t process = 0;
  std::string error{};     ///< why it did not start, or empty
  int out = -1, err = -1;  ///< the ends of pipes from which its output can be read, or -1
};

/// Starts `command[0]`, which is searched in PATH, with these variables added to the environment.
StartedProgram start_program(const std::vector<std::string>& command,
                             const std::vector<std::pair<std::string, std::string>>& variables, bool pipes = false);
/// Waits until the process ends.
ProgramEnd wait_for_program(pid_t process);

/// Runs `command[0]`, which is searched in PATH, with these variables added to the environment; it shares the standard
/// streams. SIGINT and SIGQUIT are ignored here while it runs, so that only the program handles them.
ProgramEnd run_program(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& variables = {});

/// The file that the shell would execute for a name, if there is one.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// A signal as text, such as "9 (Killed)".
std::string signal_text(int signal);

/// A new folder for temporary files, removed by the destructor. The constructor throws if the folder cannot be created.
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
