// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

namespace ptox::tool {

namespace {

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e;
    bool replaced = false;
    const std::string name = entry.substr(0, entry.find('='));
    for (const auto& [ours, value] : variables) replaced |= name == ours;
    if (!replaced) all.push_back(entry);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& t : texts) out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

bool is_program(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
}

/// Attributes by which a program gets the handling of SIGINT and SIGQUIT from before InterruptsIgnored.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t restored;
    sigemptyset(&restored);
    for (const int signal : {SIGINT, SIGQUIT})
      if (InterruptsIgnored::restores(signal)) sigaddset(&restored, signal);
    posix_spawnattr_setsigdefault(&attributes_, &restored);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// Pipes that a program has as its standard output and error.
struct Pipes {
  int out[2] = {-1, -1}, err[2] = {-1, -1};
  posix_spawn_file_actions_t actions;

  explicit Pipes(bool wanted) {
    posix_spawn_file_actions_init(&actions);
    if (!wanted) return;
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
      throw std::runtime_error(std::string("no pipe: ") + strerror(errno));
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  }
  ~Pipes() {
    posix_spawn_file_actions_destroy(&actions);
    for (const int end : {out[1], err[1]})
      if (end >= 0) close(end);
  }
  Pipes(const Pipes&) = delete;
};

void (*interrupt_before)(int) = SIG_DFL;
void (*quit_before)(int) = SIG_DFL;

}  // namespace

InterruptsIgnored::InterruptsIgnored() {
  interrupt_before = ::signal(SIGINT, SIG_IGN);
  quit_before = ::signal(SIGQUIT, SIG_IGN);
}
InterruptsIgnored::~InterruptsIgnored() {
  ::signal(SIGINT, interrupt_before);
  ::signal(SIGQUIT, quit_before);
}
bool InterruptsIgnored::restores(int signal) { return (signal == SIGINT ? interrupt_before : quit_before) != SIG_IGN; }

StartedProgram start_program(const std::vector<std::string>& command,
                             const std::vector<std::pair<std::string, std::string>>& variables, bool pipes) {
  std::cout.flush();
  std::cerr.flush();
  std::vector<std::string> words = command, environment = environment_with(variables);
  const Attributes attributes;
  const Pipes streams(pipes);
  StartedProgram started{.out = streams.out[0], .err = streams.err[0]};
  const int failed = posix_spawnp(&started.process, words[0].c_str(), &streams.actions, attributes.get(),
                                  pointers(words).data(), pointers(environment).data());
  if (failed) started.error = strerror(failed);
  return started;
}

ProgramEnd wait_for_program(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {.error = strerror(errno), .process = child};
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status), .process = child};
  return {.code = WEXITSTATUS(status), .process = child};
}

ProgramEnd run_program(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& variables) {
  const InterruptsIgnored ignored;
  const StartedProgram started = start_program(command, variables);
  return started.error.empty() ? wait_for_program(started.process) : ProgramEnd{.error = started.error};
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.find('/') != name.npos) return is_program(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  const char* path = getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; !name.empty() && std::getline(folders, folder, ':');)
    if (auto file = std::filesystem::path(folder.empty() ? "." : folder) / name; is_program(file)) return file;
  return std::nullopt;
}

std::string signal_text(int signal) { return std::to_string(signal) + " (" + strsignal(signal) + ")"; }

TemporaryFolder::TemporaryFolder() {
  const char* place = getenv("TMPDIR");
  std::string name = std::string(place && *place ? place : "/tmp") + "/ptox_XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder " + name + ": " + strerror(errno));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code kept;
  std::filesystem::remove_all(path_, kept);
}

}  // namespace ptox::tool
